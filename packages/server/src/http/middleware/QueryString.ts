// What a query string may not hold whatever its names mean: a name twice, an empty value, a broken percent code, NUL.
import type { Violation } from "@rapport/contract/Errors.ts"
import { VIOLATIONS_MAX } from "@rapport/contract/Limits.ts"

const decode = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text.replaceAll("+", " "))
  } catch {
    return undefined
  }
}

/** The message of a parameter without a name, whose path is empty. */
export const namelessParameter = "the query string must not hold a parameter without a name"

/** docs/contract.md §1 "Query strings, paths"; `path` of a violation is the name as sent. */
export const queryViolations = (url: string): ReadonlyArray<Violation> => {
  const start = url.indexOf("?")
  if (start < 0) return []
  const names = new Set<string>()
  const found: Array<Violation> = []
  for (const pair of url.slice(start + 1).split("&")) {
    if (pair === "") continue
    const at = pair.indexOf("=")
    const rawName = at < 0 ? pair : pair.slice(0, at)
    const [name, value] = [decode(rawName), decode(at < 0 ? "" : pair.slice(at + 1))]
    const path = name ?? rawName
    if (name === undefined || value === undefined)
      found.push({ path, message: "holds a broken percent code" })
    else if (name.includes("\0") || value.includes("\0")) found.push({ path, message: "must not hold NUL" })
    else if (name === "") found.push({ path, message: namelessParameter })
    else if (names.has(name)) found.push({ path, message: "must be given once" })
    else if (value === "") found.push({ path, message: "must not be empty" })
    names.add(path)
    if (found.length >= VIOLATIONS_MAX) return found
  }
  return found
}
