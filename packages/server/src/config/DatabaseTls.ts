// The TLS settings of the connection to PostgreSQL.
import { Redacted } from "effect"
import type { EnvironmentReader } from "./EnvironmentReader.ts"
import { isLoopback } from "./Loopback.ts"

interface DatabaseTls {
  /** Trusted certificates (PEM) for the server's own; undefined: those of the system. */
  readonly certificates: string | undefined
  /** A warning where passwords would cross a network unencrypted. */
  readonly warning: string | undefined
}

/** Modes in which the connection is encrypted and the certificate of the server is checked. */
const checkedModes = ["require", "verify-ca", "verify-full"]

/** Reads DATABASE_CA_FILE and the parameters sslmode and sslrootcert of the URL. */
export const databaseTlsOf = (
  read: EnvironmentReader,
  databaseUrl: Redacted.Redacted | undefined
): DatabaseTls => {
  const setting = read.text("DATABASE_CA_FILE")
  if (databaseUrl === undefined) return { certificates: undefined, warning: undefined }
  const url = new URL(Redacted.value(databaseUrl))
  const mode = url.searchParams.get("sslmode")
  const file = setting ?? url.searchParams.get("sslrootcert")
  if (file !== null && mode !== null && !checkedModes.includes(mode)) {
    read.refuse(
      "DATABASE_URL",
      `has sslmode=${mode}, which checks no certificate, although a certificate file is set: use verify-full`
    )
  }
  return {
    certificates:
      setting === undefined
        ? file === null
          ? undefined
          : read.certificates("DATABASE_URL", file, "sslrootcert")
        : read.certificates("DATABASE_CA_FILE", setting),
    warning:
      file !== null || (mode !== null && checkedModes.includes(mode)) || isLocal(url)
        ? undefined
        : `DATABASE_URL leads to ${hostOf(url)} without TLS: passwords and data cross the network unencrypted; ` +
          "set sslmode=verify-full, and DATABASE_CA_FILE if you issued the certificate yourself"
  }
}

const hostOf = ({ hostname, searchParams }: URL): string =>
  (searchParams.get("host") ?? hostname).replace(/^\[(.*)\]$/u, "$1")

// A path names the folder of a Unix socket.
const isLocal = (url: URL): boolean => {
  const host = hostOf(url)
  return host === "" || host.startsWith("/") || host.startsWith("%2F") || isLoopback(host)
}
