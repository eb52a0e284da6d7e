// TLS to PostgreSQL: which certificates are trusted, and a word where a password would cross a network in the clear.
import { Redacted } from "effect"
import * as fs from "node:fs"
import type { EnvironmentReader } from "./EnvironmentReader.ts"
import { isLoopback } from "./Loopback.ts"

interface DatabaseTls {
  /** Certificates (PEM) that the server's own is judged by; absent: those of the system. */
  readonly certificates: string | undefined
  /** What to warn of. */
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
      `has sslmode=${mode}, which checks no certificate, beside a file of certificates`
    )
  }
  return {
    certificates: file === null ? undefined : certificatesOf(read, setting === undefined, file),
    warning:
      file !== null || (mode !== null && checkedModes.includes(mode)) || isLocal(url)
        ? undefined
        : `DATABASE_URL leads to ${hostOf(url)} without TLS: passwords and data cross the network readably; ` +
          "set sslmode=verify-full, and DATABASE_CA_FILE where its certificate is of your own"
  }
}

const certificatesOf = (read: EnvironmentReader, inUrl: boolean, file: string): string | undefined => {
  const [name, what] = inUrl ? ["DATABASE_URL", "sslrootcert"] : ["DATABASE_CA_FILE", file]
  try {
    const text = fs.readFileSync(file, "utf8")
    if (text.includes("-----BEGIN CERTIFICATE-----")) return text
    read.refuse(name, `names a file without certificates (PEM): ${what}`)
  } catch {
    read.refuse(name, `names a file that cannot be read: ${what}`)
  }
  return undefined
}

const hostOf = ({ hostname, searchParams }: URL): string =>
  (searchParams.get("host") ?? hostname).replace(/^\[(.*)\]$/u, "$1")

// A path is the folder of a socket.
const isLocal = (url: URL): boolean => {
  const host = hostOf(url)
  return host === "" || host.startsWith("/") || host.startsWith("%2F") || isLoopback(host)
}
