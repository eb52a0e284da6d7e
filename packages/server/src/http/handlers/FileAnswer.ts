// The headers of a download: names, ranges and conditions (RFC 6266, RFC 8187, RFC 9110).
import type { ByteRange } from "@rapport/core/files/FileStorage.ts"

const asciiName = (name: string) => name.replaceAll(/[^ -~]|["\\%]/gu, "_")
const encodeName = (name: string) =>
  encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/gu,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`
  )

/** Always an attachment: a page of a caller must not run in the origin of the service. */
export const dispositionOf = (name: string): string =>
  `attachment; filename="${asciiName(name)}"; filename*=UTF-8''${encodeName(name)}`

/** Whether If-None-Match has the ETag. */
export const isUnchanged = (condition: string | undefined, etag: string): boolean =>
  condition !== undefined &&
  condition.split(",").some((tag) => tag.trim() === "*" || tag.trim().replace(/^W\//u, "") === etag)

/** The requested range of `size` bytes; null: none of them; undefined: no range, or one that may be ignored. */
export const rangeOf = (header: string | undefined, size: number): ByteRange | null | undefined => {
  const [, from, to] = /^bytes=(\d{0,15})-(\d{0,15})$/u.exec(header?.trim() ?? "") ?? []
  if (from === undefined || to === undefined || from + to === "") return undefined
  if (from === "") return Number(to) === 0 ? null : { first: Math.max(0, size - Number(to)), last: size - 1 }
  if (to !== "" && Number(to) < Number(from)) return undefined
  if (Number(from) >= size) return null
  return { first: Number(from), last: to === "" ? size - 1 : Math.min(Number(to), size - 1) }
}
