// Reads environment variables: a value of the right type, or a complaint that names the variable without its secret.
import type { NumericLimit } from "@rapport/contract/Limits.ts"
import { Redacted } from "effect"
import * as fs from "node:fs"

/** The environment as the process was given it. */
export type Environment = Readonly<Record<string, string | undefined>>

/** A whole number with its bounds. */
interface IntegerBounds {
  readonly minimum: number
  readonly maximum: number
}

/**
 * Collects the complaints, the names of the variables read and a printable form of each value. An empty variable
 * counts as absent: compose files and OpenTelemetry write it so.
 */
export class EnvironmentReader {
  readonly complaints: Array<string> = []
  readonly names = new Set<string>()
  /** Name → the value in effect, secrets hidden; absent values are not listed. */
  readonly shown = new Map<string, string>()
  /** Names whose value in effect is their default. */
  readonly defaults = new Set<string>()
  /** Name → the values it takes, where these are a range or a choice. */
  readonly allowed = new Map<string, string>()
  readonly #environment: Environment

  constructor(environment: Environment) {
    this.#environment = environment
  }

  /** Text unchanged, absent when empty. */
  text(name: string): string | undefined {
    return this.#read(name, (raw) => raw)
  }

  textOr(name: string, byDefault: string): string {
    return this.#orDefault(name, this.text(name), byDefault)
  }

  integer(name: string, bounds: IntegerBounds, byDefault: number): number {
    return this.#orDefault(name, this.optionalInteger(name, bounds), byDefault)
  }

  /** An integer with the default of its bounds. */
  limit(name: string, bounds: NumericLimit): number {
    return this.integer(name, bounds, bounds.default)
  }

  optionalInteger(name: string, { maximum, minimum }: IntegerBounds): number | undefined {
    this.allowed.set(name, `${minimum}–${maximum}`)
    return this.#read(name, (raw) => {
      const value = Number(raw)
      if (/^(?:0|[1-9][0-9]*)$/u.test(raw) && value >= minimum && value <= maximum) return value
      return this.#refuse(name, `must be a whole number from ${minimum} to ${maximum}`, raw)
    })
  }

  boolean(name: string, byDefault: boolean): boolean {
    return this.choice(name, ["true", "false"], String(byDefault) as "true" | "false") === "true"
  }

  choice<const A extends string>(name: string, options: ReadonlyArray<A>, byDefault: A): A {
    this.allowed.set(name, options.join(", "))
    const read = this.#read(
      name,
      (raw) =>
        options.find((option) => option === raw) ??
        this.#refuse(name, `must be one of ${options.join(", ")}`, raw)
    )
    return this.#orDefault(name, read, byDefault)
  }

  /** A URL of one of the schemes. It is redacted, because it may contain a password, and shown without it. */
  url(name: string, schemes: ReadonlyArray<string>): Redacted.Redacted | undefined {
    return this.#url(name, schemes, this.#raw(name))
  }

  /** Several URLs, separated by commas. */
  urls(name: string, schemes: ReadonlyArray<string>): ReadonlyArray<Redacted.Redacted> | undefined {
    const raw = this.#raw(name)
    if (raw === undefined || raw === "") return undefined
    const all = raw.split(",").map((one) => ({ one, shown: shownUrl(one.trim(), schemes) }))
    if (all.some(({ shown }) => shown === undefined)) return this.#refuse(name, urlExpected(schemes))
    this.shown.set(name, all.map(({ shown }) => shown).join(","))
    return all.map(({ one }) => Redacted.make(one.trim(), { label: name }))
  }

  /** A URL from NAME or from the file that NAME_FILE names. */
  secretUrl(name: string, schemes: ReadonlyArray<string>): Redacted.Redacted | undefined {
    return this.#url(name, schemes, this.#secretText(name))
  }

  /** A name or address to listen on. */
  host(name: string): string {
    const host = this.textOr(name, "127.0.0.1")
    if (!/^[A-Za-z0-9.:_-]+(?:%[A-Za-z0-9]+)?$/u.test(host))
      this.refuse(name, "must be a host name or an address", host)
    return host
  }

  /** Only scheme, host and port: `https://support.example.com`. */
  origin(name: string): string | undefined {
    return this.#read(name, (raw) => originOf(raw) ?? this.#refuse(name, ORIGIN, raw))
  }

  origins(name: string): ReadonlyArray<string> {
    return this.list(name, ORIGIN, originOf)
  }

  /** Values separated by commas; `parse` returns undefined for a wrong one. */
  list<A>(name: string, expected: string, parse: (item: string) => A | undefined): ReadonlyArray<A> {
    return (
      this.#read(name, (raw) => {
        const items = raw.split(",").map((item) => parse(item.trim()))
        const good = items.filter((item) => item !== undefined)
        return good.length === items.length ? good : this.#refuse(name, expected, raw)
      }) ?? []
    )
  }

  /**
   * A secret from NAME or from the file that NAME_FILE names, without one line feed at its end. `check` returns a
   * complaint that does not repeat the value.
   */
  secret(
    name: string,
    check: (value: string) => string | undefined = () => undefined
  ): Redacted.Redacted | undefined {
    const value = this.#secretText(name)
    if (value === undefined || value === "") return undefined
    this.shown.set(name, "<redacted>")
    const complaint = check(value)
    if (complaint !== undefined) this.refuse(name, complaint)
    return Redacted.make(value, { label: name })
  }

  /** The certificates (PEM) in a file that a setting names; `shown` stands for it in a complaint. */
  certificates(name: string, file: string, shown = file): string | undefined {
    try {
      const text = fs.readFileSync(file, "utf8")
      if (text.includes("-----BEGIN CERTIFICATE-----")) return text
      return this.#refuse(name, `names a file without certificates (PEM): ${shown}`)
    } catch {
      return this.#refuse(name, `names a file that cannot be read: ${shown}`)
    }
  }

  /** Records a complaint. `value` is quoted in it: omit it where it may be secret. */
  refuse(name: string, expected: string, value?: string): void {
    this.complaints.push(
      `${name} ${expected}${value === undefined ? "" : `, it is ${JSON.stringify(value)}`}`
    )
  }

  /** Refuses a setting of an earlier version; `hint` says what replaces it. */
  removed(name: string, hint: string): void {
    if ((this.#environment[name] ?? "") !== "") this.refuse(name, hint)
  }

  #url(name: string, schemes: ReadonlyArray<string>, raw: string | undefined): Redacted.Redacted | undefined {
    if (raw === undefined || raw === "") return undefined
    const shown = shownUrl(raw, schemes)
    if (shown === undefined) return this.#refuse(name, urlExpected(schemes))
    this.shown.set(name, shown)
    return Redacted.make(raw, { label: name })
  }

  #refuse(name: string, expected: string, value?: string): undefined {
    this.refuse(name, expected, value)
    return undefined
  }

  #secretText(name: string): string | undefined {
    const inline = this.#raw(name)
    const file = this.#raw(`${name}_FILE`)
    if (inline !== undefined && file !== undefined) {
      return this.#refuse(name, `and ${name}_FILE are both set: keep one`)
    }
    if (file === undefined) return inline
    this.shown.set(`${name}_FILE`, file)
    try {
      return fs.readFileSync(file, "utf8").replace(/\n$/u, "")
    } catch {
      return this.#refuse(`${name}_FILE`, "must name a readable file", file)
    }
  }

  #read<A>(name: string, parse: (raw: string) => A | undefined): A | undefined {
    const raw = this.#raw(name)
    if (raw === undefined) return undefined
    this.shown.set(name, raw)
    return parse(raw)
  }

  #raw(name: string): string | undefined {
    this.names.add(name)
    const raw = this.#environment[name]
    return raw === "" ? undefined : raw
  }

  #orDefault<A extends string | number>(name: string, value: A | undefined, byDefault: A): A {
    if (value === undefined) {
      this.shown.set(name, String(byDefault))
      this.defaults.add(name)
    }
    return value ?? byDefault
  }
}

const urlExpected = (schemes: ReadonlyArray<string>): string =>
  `must be a URL that begins with ${schemes.map((scheme) => `${scheme}://`).join(" or ")}`

/** A URL without password and query; undefined for another scheme or no URL. */
const shownUrl = (raw: string, schemes: ReadonlyArray<string>): string | undefined => {
  const url = URL.parse(raw)
  if (url === null || url.hostname === "" || !schemes.includes(url.protocol.slice(0, -1))) return undefined
  url.password = ""
  url.search = ""
  return url.href
}

const ORIGIN = "must be an origin such as https://support.example.com"

const originOf = (raw: string): string | undefined => {
  const url = URL.parse(raw)
  const plain =
    url !== null && /^https?:$/u.test(url.protocol) && url.username === "" && url.href === `${url.origin}/`
  return plain && !raw.includes("?") && !raw.includes("#") ? url.origin : undefined
}

/** Warnings for unknown names with our prefix, each with the nearest known name. */
export const unknownNames = (environment: Environment, known: ReadonlySet<string>): ReadonlyArray<string> =>
  Object.keys(environment)
    .filter((name) => name.startsWith("RAPPORT_") && !known.has(name))
    .map((name) => {
      const nearest = [...known]
        .filter((candidate) => candidate.startsWith("RAPPORT_"))
        .toSorted((a, b) => distance(name, a) - distance(name, b))[0]
      return `${name} is not a setting of this service: did you mean ${nearest}?`
    })

// The Levenshtein distance.
const distance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
