// A request that came in one piece and is plain in every way, read without Node's parser: by stricter rules, and none of its work.
// What is anything else is left to Node.
import { HEADER_BYTES_MAX } from "@rapport/contract/Limits.ts"

export interface WholeRequest {
  readonly method: string
  readonly url: string
  /** Each once, by its name in small letters. */
  readonly headers: Readonly<Record<string, string>>
}

const HEAD_END = "\r\n\r\n"
// A HEAD would be answered without a body.
const requestLine = /^(GET|POST|PUT|PATCH|DELETE) (\/[!-~]*) HTTP\/1\.1$/u
const headerName = /^[\w!#$%&'*+.^`|~-]+$/u
const headerValue = /^[\t -~]*$/u
const LENGTH = /^\d{1,9}$/u
/** They change how the connection goes on, or where the request ends. */
const notPlain: ReadonlySet<string> = new Set(["transfer-encoding", "upgrade", "expect", "trailer"])

/** Bytes behind the first head in these; -1 where none ends. */
export const bytesBehindHead = (bytes: Buffer): number => {
  const end = bytes.indexOf(HEAD_END)
  return end < 0 ? -1 : bytes.length - end - HEAD_END.length
}

/** Undefined where these bytes are not one request from its first to its last. */
export const wholeRequest = (bytes: Buffer): WholeRequest | undefined => {
  const bodyBytes = bytesBehindHead(bytes)
  const headBytes = bytes.length - bodyBytes - HEAD_END.length
  if (bodyBytes < 0 || headBytes > HEADER_BYTES_MAX) return undefined
  const [first = "", ...lines] = bytes.toString("latin1", 0, headBytes).split("\r\n")
  const [, method, url] = requestLine.exec(first) ?? []
  const headers = headersOf(lines)
  if (method === undefined || url === undefined || headers === undefined) return undefined
  const { connection = "keep-alive", "content-length": length = "0", host = "" } = headers
  const isPlain = host !== "" && connection.toLowerCase() === "keep-alive" && LENGTH.test(length)
  return isPlain && Number(length) === bodyBytes ? { method, url, headers } : undefined
}

const headersOf = (lines: ReadonlyArray<string>): Record<string, string> | undefined => {
  const headers: Record<string, string> = Object.create(null)
  for (const line of lines) {
    const colon = line.indexOf(":")
    const name = line.slice(0, Math.max(colon, 0)).toLowerCase()
    const value = line.slice(colon + 1)
    if (!headerName.test(name) || !headerValue.test(value)) return undefined
    if (notPlain.has(name) || name in headers) return undefined
    headers[name] = value.trim()
  }
  return headers
}
