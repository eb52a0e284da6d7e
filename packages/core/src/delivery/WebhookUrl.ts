// What is wrong with the address of a webhook when it is written: what can be seen of the URL alone (contract §8).
import { Result } from "effect"
import { NetAddress } from "effect/net"
import { isPublicAddress } from "./PublicAddress.ts"

/** Undefined where nothing is. `allowPrivate` is RAPPORT_WEBHOOK_ALLOW_PRIVATE. */
export const webhookUrlFault = (text: string, allowPrivate: boolean): string | undefined => {
  // The parser drops or rewrites these without a word; the URL is kept and shown as it was sent.
  if (/[\p{Cc}\s\\]/u.test(text)) return "must hold no spaces, control characters or backslashes"
  const url = URL.parse(text)
  if (url === null || url.hostname === "") return "must be a URL"
  if (!/^https?:\/\//iu.test(text)) return "must begin with https:// or http://"
  // An empty name before the @ is one as well, and the parser drops it.
  if (/^\w+:\/\/[^/?#]*@/u.test(text)) return "must hold no user name and no password"
  if (allowPrivate) return undefined
  const literal = literalAddress(url)
  return literal === undefined || isPublicAddress(literal) ? undefined : "must not be a private address"
}

/** The address that is used instead of a name; WHATWG URLs have written it in its usual form already. */
export const literalAddress = ({ hostname }: URL): string | undefined => {
  const bare = hostname.replace(/^\[(.*)\]$/u, "$1")
  return Result.isSuccess(NetAddress.ipFromString(bare)) ? bare : undefined
}
