// The metrics of several processes as those of one: what is counted is added; of gauges that are no shares of a whole the
// worst counts.

/** Gauges of what each process has by itself. */
const added = new Set([
  "rapport_http_in_flight",
  "rapport_process_resident_bytes",
  "rapport_pool_in_use",
  "rapport_pool_connections",
  "rapport_pool_waiting"
])

/** Gauges that are worse the lower they are. */
const lowest = new Set(["rapport_limiter_shared"])

/** `name{labels} value`, as the text format writes a series. */
const series = /^([a-zA-Z_:][\w:]*)(\{.*\})? (\S+)$/u

/** One text of all; a name keeps the place at which it is first seen. */
export const summedMetrics = (texts: ReadonlyArray<string>): string => {
  const [first] = texts
  if (first !== undefined && texts.length === 1) return first
  const types = new Map<string, string>()
  const families = new Map<string, { readonly head: Array<string>; readonly values: Map<string, number> }>()
  const familyOf = (name: string) => {
    const known = families.get(name) ?? { head: [], values: new Map<string, number>() }
    families.set(name, known)
    return known
  }
  for (const text of texts) {
    let family = ""
    for (const line of text.split("\n")) {
      const [, kind, name = "", rest = ""] = /^# (HELP|TYPE) (\S+) ?(.*)$/u.exec(line) ?? []
      if (kind !== undefined) {
        family = name
        if (kind === "TYPE") types.set(name, rest)
        const { head } = familyOf(name)
        if (!head.includes(line)) head.push(line)
        continue
      }
      const [, own, labels = "", value] = series.exec(line) ?? []
      if (own === undefined) continue
      const { values } = familyOf(family)
      const key = `${own}${labels}`
      const before = values.get(key)
      const now = Number(value)
      values.set(key, before === undefined ? now : joined(family, types.get(family), before, now))
    }
  }
  return [...families.values()]
    .flatMap(({ head, values }) => [...head, ...[...values].map(([key, value]) => `${key} ${value}`)])
    .concat("")
    .join("\n")
}

/** A text without its gauges: what is left when its process has ended. */
export const countedMetrics = (text: string): string => {
  const lines = text.split("\n")
  const gauges = new Set(lines.flatMap((line) => /^# TYPE (\S+) gauge$/u.exec(line)?.[1] ?? []))
  const isCounted = (line: string): boolean =>
    !gauges.has(/^(?:# (?:HELP|TYPE) )?([\w:]+)/u.exec(line)?.[1] ?? "")
  return lines.filter(isCounted).join("\n")
}

const joined = (family: string, type: string | undefined, a: number, b: number): number => {
  if (type !== "gauge" || added.has(family)) return a + b
  return lowest.has(family) ? Math.min(a, b) : Math.max(a, b)
}
