// Reads texts of data sets as the service stores them, and reports their faults.
import { APPEAL_TEXT_POINTS_MAX } from "@rapport/contract/Limits.ts"
import { Data } from "effect"

/** As the service takes a text: without what PostgreSQL cannot store, and within the length of a message. */
export const writable = (text: string): string => {
  const clean = text.toWellFormed().replaceAll("\u0000", "").trim()
  // A text of as many units has at most as many code points.
  return clean.length <= APPEAL_TEXT_POINTS_MAX ? clean : [...clean].slice(0, APPEAL_TEXT_POINTS_MAX).join("")
}

const SHOWN_MAX = 10

/** The file cannot be read as a data set. */
export class DatasetInvalid extends Data.TaggedError("DatasetInvalid")<{ readonly message: string }> {
  /** A fault begins with its place: a line, or a path such as `[0].sessions[3].at`. */
  static readonly of = (file: string, ...faults: ReadonlyArray<string>): DatasetInvalid => {
    const more = faults.length - SHOWN_MAX
    const shown = [...faults.slice(0, SHOWN_MAX), ...(more > 0 ? [`and ${more} more`] : [])]
    return new DatasetInvalid({ message: `${file}: ${shown.join("; ")}` })
  }
}
