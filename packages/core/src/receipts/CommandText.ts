// The canonical text of a command: equal for equal commands, however they were written (docs/contract.md §1.3).
import { canonicalJson } from "../json/CanonicalJson.ts"
import type { Command } from "./Receipts.ts"

/** Operation, path ids and content; members sorted, texts and names in normal form C. The secret stays out. */
export const commandText = ({ content, operation, pathIds }: Command): string =>
  canonicalJson([operation, pathIds, composed(content)])

/** Texts and names in normal form C, so that equal words written in different code points are one command. */
const composed = (value: unknown): unknown => {
  if (typeof value === "string") return value.normalize("NFC")
  if (Array.isArray(value)) return value.map(composed)
  if (typeof value !== "object" || value === null) return value
  const members = Object.entries(value)
  const names = members.map(([name]) => name.normalize("NFC"))
  // Names that would become one stay as they were written: neither member may vanish from the fingerprint.
  const told = new Set(names).size === names.length
  return Object.fromEntries(
    members.map(([name, member]) => [told ? name.normalize("NFC") : name, composed(member)])
  )
}
