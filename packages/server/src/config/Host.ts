// A name or address to listen on.
import type { EnvironmentReader } from "./EnvironmentReader.ts"

export const hostOf = (read: EnvironmentReader, name: string): string => {
  const host = read.textOr(name, "127.0.0.1")
  if (!/^[A-Za-z0-9.:_-]+(?:%[A-Za-z0-9]+)?$/u.test(host))
    read.refuse(name, "must be a host name or an address", host)
  return host
}
