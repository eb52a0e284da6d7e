// The JSON-RPC messages of standard input, one per line as the SDK expects, whatever form the client sends them in.
import { BODY_BYTES_MAX } from "@rapport/contract/Limits.ts"

/**
 * Yields each message on a line of its own. Accepts a byte order mark, a message over several lines and a batch, whose
 * messages are answered one by one. `refuse` is called for text that is not JSON or longer than BODY_BYTES_MAX.
 */
export async function* stdioMessages(
  input: AsyncIterable<string>,
  refuse: () => void
): AsyncGenerator<string> {
  let unfinished = ""
  for await (const line of linesOf(input)) {
    const joined = parseJson(unfinished + line)
    // A complete message ends the text before it, which then can never become one.
    const own = joined === undefined ? parseJson(line) : undefined
    const message = joined ?? (isMessage(own) ? own : undefined)
    if (message === undefined) {
      unfinished += line
      if (unfinished.trim() === "") unfinished = ""
      if (unfinished.length <= BODY_BYTES_MAX) continue
      refuse()
    } else {
      if (joined === undefined) refuse()
      for (const one of Array.isArray(message) ? message : [message]) yield `${JSON.stringify(one)}\n`
    }
    unfinished = ""
  }
  if (unfinished !== "") refuse()
}

const BYTE_ORDER_MARK = "\ufeff"

/** Lines with their line feeds, without a byte order mark. */
async function* linesOf(input: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = ""
  for await (const chunk of input) {
    const lines = (rest + chunk).split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) yield `${line.replace(BYTE_ORDER_MARK, "")}\n`
    if (rest.length > BODY_BYTES_MAX) {
      yield rest
      rest = ""
    }
  }
  if (rest !== "") yield rest.replace(BYTE_ORDER_MARK, "")
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isMessage = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.length > 0 && value.every(isMessage)
    : typeof value === "object" && value !== null && "jsonrpc" in value
