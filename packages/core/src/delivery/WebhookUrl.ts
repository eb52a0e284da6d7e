// Validates the URL of a webhook (contract §8).
import { Result } from "effect"
import { NetAddress } from "effect/net"
import { isPublicAddress } from "./PublicAddress.ts"

/** The fault of the URL, or undefined. `allowPrivate` is RAPPORT_WEBHOOK_ALLOW_PRIVATE. */
export const webhookUrlFault = (text: string, allowPrivate: boolean): string | undefined => {
  // The parser silently drops or rewrites these characters, but the URL is stored as sent.
  if (/[\p{Cc}\s\\]/u.test(text)) return "must hold no spaces, control characters or backslashes"
  const url = URL.parse(text)
  if (url === null || url.hostname === "") return "must be a URL"
  if (!/^https?:\/\//iu.test(text)) return "must begin with https:// or http://"
  // Also an empty user name before the @, which the parser drops.
  if (/^\w+:\/\/[^/?#]*@/u.test(text)) return "must hold no user name and no password"
  if (allowPrivate) return undefined
  const literal = literalAddress(url)
  return literal === undefined || isPublicAddress(literal) ? undefined : "must not be a private address"
}

/** The IP address of a URL without a host name, already normalized by the WHATWG parser. */
export const literalAddress = ({ hostname }: URL): string | undefined => {
  const bare = hostname.replace(/^\[(.*)\]$/u, "$1")
  return Result.isSuccess(NetAddress.ipFromString(bare)) ? bare : undefined
}
