// Turns log records into the lines of standard error: plain lines for a person at a terminal, JSON for a service.
import { Cause, Logger, References } from "effect"

/** The annotation of a progress record: the work that it is about. */
export const PROGRESS = "progress"

interface Output {
  readonly format: "pretty" | "json"
  /** Lines can be overwritten. */
  readonly isTerminal: boolean
}

const LINE_ABOVE_CLEARED = "\u001b[1A\u001b[2K"

const labels: Readonly<Record<string, string>> = {
  Fatal: "error: ",
  Error: "error: ",
  Warn: "warning: ",
  Info: "",
  Debug: "debug: ",
  Trace: "debug: "
}

/**
 * Returns the text to write for a record, undefined for none. Progress takes one line per work: a terminal overwrites it
 * until the work is finished, any other output gets the first line and the last one.
 */
export const logLines = ({
  format,
  isTerminal
}: Output): ((record: Logger.Options<unknown>) => string | undefined) => {
  let previous: string | undefined
  return (record) => {
    const {
      [PROGRESS]: work,
      isFinished,
      ...annotations
    } = record.fiber.getRef(References.CurrentLogAnnotations)
    const isSameWork = work !== undefined && work === previous
    if (work !== undefined || isTerminal)
      previous = work === undefined || isFinished === true ? undefined : String(work)
    if (isSameWork && !isTerminal && isFinished !== true) return undefined
    const line = format === "json" ? Logger.formatJson.log(record) : plainLine(record, annotations)
    return isSameWork && isTerminal ? `${LINE_ABOVE_CLEARED}${line}\n` : `${line}\n`
  }
}

const plainLine = (
  { cause, date, logLevel, message }: Logger.Options<unknown>,
  annotations: Readonly<Record<string, unknown>>
): string => {
  const parts = [...[message].flat().map(textOf), ...Object.entries(annotations).map(pair)]
  const failure = cause.reasons.length === 0 ? "" : `\n${Cause.pretty(cause)}`
  return `${date.toTimeString().slice(0, 8)}  ${labels[logLevel] ?? ""}${parts.join(" ")}${failure}`
}

const textOf = (part: unknown): string =>
  typeof part === "string"
    ? part
    : part instanceof Error
      ? (part.stack ?? part.message)
      : typeof part === "object" && part !== null && !Array.isArray(part)
        ? Object.entries(part).map(pair).join(" ")
        : JSON.stringify(part)

const pair = ([name, value]: readonly [string, unknown]): string =>
  `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`
