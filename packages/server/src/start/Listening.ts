// Checks of the address that the service listens on.
import { Effect, Schema } from "effect"
import { createServer } from "node:net"
import { ConfigError } from "../config/ConfigError.ts"
import { isLoopback } from "../config/Loopback.ts"

/** The settings of the listener, by their names in the settings of the service. */
interface ListenerSettings {
  readonly host: string
  readonly port: number
  readonly reusePort: boolean
  readonly publicUrl: string | undefined
  readonly trustedProxies: ReadonlyArray<unknown>
  readonly allowDemoLogins: boolean
}

/** Another process listens on the port. The exit code is 1. */
export class PortTaken extends Schema.TaggedError<PortTaken>()("PortTaken", { message: Schema.String }) {}

/** `http://HOST:PORT`, as `ready` prints it. */
export const originOf = (host: string, port: number): string =>
  `http://${host.includes(":") ? `[${host}]` : host}:${port}`

export const listenError = (
  { host, port }: Pick<ListenerSettings, "host" | "port">,
  cause: unknown,
  names: { readonly host: string; readonly port: string } = { host: "HOST", port: "PORT" }
): PortTaken | ConfigError => {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown"
  return code === "EADDRINUSE"
    ? new PortTaken({ message: `port ${port} of ${host} is in use by another process: set ${names.port}` })
    : new ConfigError({
        message: `${names.host}, ${names.port}: cannot listen on ${originOf(host, port)} (${code})`
      })
}

/** Tries the port before a seed, which takes minutes. Listening may still fail later. */
export const requireFreePort = (
  settings: Pick<ListenerSettings, "host" | "port" | "reusePort">
): Effect.Effect<void, PortTaken | ConfigError> =>
  settings.port === 0
    ? Effect.void
    : Effect.callback((resume) => {
        const server = createServer()
        server.once("error", (error) => resume(Effect.fail(listenError(settings, error))))
        const { host, port, reusePort } = settings
        server.listen({ host, port, reusePort }, () => server.close(() => resume(Effect.void)))
      })

/** Refuses to expose logins with a well-known password to a network (contract §11). */
export const refuseDemoLogins = (
  settings: Pick<ListenerSettings, "host" | "allowDemoLogins" | "publicUrl" | "trustedProxies">,
  demoLogins: ReadonlyArray<string>
): Effect.Effect<void, ConfigError> => {
  const why = whyPublic(settings)
  return demoLogins.length === 0 || settings.allowDemoLogins || why === undefined
    ? Effect.void
    : Effect.fail(
        new ConfigError({
          message:
            `${why}, and the database holds demo logins with a known password ` +
            `(${demoLogins.join(", ")}): change their passwords or set RAPPORT_ALLOW_DEMO_LOGINS=true`
        })
      )
}

/** The setting that exposes the service to other machines. A proxy exposes loopback too. */
const whyPublic = ({
  host,
  publicUrl,
  trustedProxies
}: Pick<ListenerSettings, "host" | "publicUrl" | "trustedProxies">): string | undefined => {
  if (!isLoopback(host)) return `HOST is ${host}, which is not loopback`
  const published = publicUrl === undefined ? undefined : new URL(publicUrl).hostname
  if (published !== undefined && !isLoopback(published.replace(/^\[(.*)\]$/u, "$1"))) {
    return `RAPPORT_PUBLIC_URL is ${publicUrl}, which is not loopback`
  }
  return trustedProxies.length > 0 ? "RAPPORT_TRUSTED_PROXIES is set" : undefined
}
