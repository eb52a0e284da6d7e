// Parses a Markdown pack by the grammar of contract §3.5, so that a test can compare its facts with those of the JSON pack.
import { canonicalJson } from "../json/CanonicalJson.ts"
import { recordMembers } from "@rapport/contract/directory/PropertiesApi.ts"
import type { ContextPackJson } from "@rapport/contract/context/ContextPack.ts"
import type { ContextEntity } from "@rapport/contract/context/ContextRequest.ts"

type Fact = Readonly<Record<string, unknown>>

export interface ReadPack {
  readonly scope: { readonly entity: string; readonly id: number }
  readonly sections: ReadonlyArray<string>
  /** One for each line with a citation. */
  readonly facts: ReadonlyArray<Fact>
  /** Words of the query with another reading. */
  readonly readings: ReadonlyArray<{ readonly word: unknown; readonly readAs: unknown; readonly why: string }>
  /** The reason of each missing part. */
  readonly missing: ReadonlyArray<string>
}

const folders = { client: "clients", subject: "subjects", operator: "users", skill_group: "skill-groups" }

class Cursor {
  readonly text: string
  at = 0
  constructor(text: string) {
    this.text = text
  }
  take(pattern: RegExp): RegExpExecArray | null {
    const sticky = new RegExp(pattern.source, "uy")
    sticky.lastIndex = this.at
    const found = sticky.exec(this.text)
    if (found !== null) this.at = sticky.lastIndex
    return found
  }
  must(pattern: RegExp): RegExpExecArray {
    const found = this.take(pattern)
    if (found === null) throw new Error(`no ${pattern.source} at ${this.at} of ${this.text}`)
    return found
  }
  /** A JSON value. Its brackets and quotes show where it ends. */
  json(): unknown {
    const from = this.at
    let depth = 0
    for (;;) {
      if (this.take(/"(?:[^"\\]|\\.)*"/) === null && this.take(/[{[]/) !== null) {
        depth++
        continue
      }
      if (depth === 0) {
        if (this.at === from) this.must(/true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/)
        break
      }
      if (this.take(/[}\]]/) !== null) {
        if (--depth === 0) break
      } else if (this.text[this.at] !== '"') this.must(/[^{}[\]"]+/)
    }
    return JSON.parse(this.text.slice(from, this.at))
  }
  phrase(): string {
    return this.text[this.at] === '"' ? String(this.json()) : this.must(/[\p{L}\p{N}][\p{L}\p{N} _.'’-]*/u)[0]
  }
  citation(): string {
    const [, id = ""] = this.must(/ 【([^【】]+)】$/)
    return id
  }
}

/** Times of a list, to the minute. A date is written where it changes. */
class ReadTimes {
  #date: string
  constructor(date = "") {
    this.#date = date
  }
  read(cursor: Cursor): string {
    const date = cursor.take(/(\d{4}-\d\d-\d\d) /)
    if (date !== null) this.#date = date[1] ?? ""
    const [minutes] = cursor.must(/\d\d:\d\d(?!:\d)/)
    if (this.#date === "") throw new Error(`no date for ${cursor.text}`)
    return `${this.#date}T${minutes}`
  }
  get date(): string {
    return this.#date
  }
}

const listOf = <A>(cursor: Cursor, item: () => A): ReadonlyArray<A> => {
  const items = [item()]
  while (cursor.take(/; /) !== null) items.push(item())
  return items
}

export const readMarkdown = (markdown: string): ReadPack => {
  if (!markdown.endsWith("\n")) throw new Error("the last line has no end")
  const lines = markdown.slice(0, -1).split("\n")
  const [, entity = "", id = ""] =
    /^# (client|subject|operator|skill_group) (\d+)$/u.exec(lines.shift() ?? "") ?? []
  const closed = new Set(/^without url: (.*)$/u.exec(lines[0] ?? "")?.[1]?.split(", ") ?? [])
  if (closed.size > 0) lines.shift()
  const reader = new SectionReader(entity as ContextEntity, Number(id), closed)
  for (const line of lines) reader.read(line)
  return {
    scope: { entity, id: Number(id) },
    sections: reader.sections,
    facts: reader.facts,
    readings: reader.readings,
    missing: reader.missing
  }
}

class SectionReader {
  readonly sections: Array<string> = []
  readonly facts: Array<Fact> = []
  readonly readings: Array<ReadPack["readings"][number]> = []
  readonly missing: Array<string> = []
  readonly #entity: ContextEntity
  readonly #id: number
  readonly #closed: ReadonlySet<string>
  /** A name is written only at the first use of its id. */
  readonly #names = new Map<number, string>()
  #section = ""
  #under: { readonly kind: string; readonly id: string } = { kind: "", id: "" }
  #times = new ReadTimes()
  #last = ""

  constructor(entity: ContextEntity, id: number, closed: ReadonlySet<string>) {
    this.#entity = entity
    this.#id = id
    this.#closed = closed
  }

  read(line: string): void {
    const section = /^## (State|Properties|Actions|Evidence|Missing)(?:[,:] .*)?$/u.exec(line)
    if (section !== null) return this.#enter(section[1] ?? "")
    const list = /^### (Interactions|Memory)(?:, newest last)?$/u.exec(line)
    if (list !== null) return this.#enter(list[1] ?? "")
    const cursor = new Cursor(line)
    if (line.startsWith("### ")) return this.#heading(cursor)
    if (line.startsWith("query word ")) return this.#reading(cursor)
    if (/^shown: \d+ of \d+ /u.test(line) || line.startsWith('searched for: "')) return
    cursor.must(/- /)
    switch (this.#section) {
      case "State":
        return this.#state(cursor)
      case "Properties":
        return this.#property(cursor)
      case "Actions":
        return this.#action(cursor)
      case "Interactions":
      case "Memory":
        return this.#entry(cursor)
      case "Evidence":
        return this.#message(cursor)
      case "Missing":
        this.missing.push(cursor.must(/.* \(([^()]+)\)$/)[1] ?? "")
        return
      default:
        throw new Error(`a line under no section: ${line}`)
    }
  }

  #enter(section: string): void {
    this.#section = section
    this.#times = new ReadTimes()
    this.#last = ""
    if (section !== "Interactions" && section !== "Memory" && section !== "Missing")
      this.sections.push(section.toLowerCase())
  }

  #url(kind: string, url: string): string | null {
    return this.#closed.has(kind) ? null : url
  }
  #record(): string | null {
    return this.#url("record", `/kw/api/v1/${folders[this.#entity]}/${this.#id}`)
  }

  /** Between the heading of the evidence and its first fact. */
  #reading(cursor: Cursor): void {
    if (this.#section !== "Evidence" || this.#under.kind !== "") throw new Error(`misplaced: ${cursor.text}`)
    cursor.must(/query word (?=")/)
    const word = cursor.json()
    cursor.must(/ read as (?=")/)
    const readAs = cursor.json()
    this.readings.push({
      word,
      readAs,
      why: cursor.must(/: (layout|transliteration|spelling)$/)[1] ?? ""
    })
  }

  #state(cursor: Cursor): void {
    if (cursor.text[cursor.at] === "{") {
      const value = cursor.json()
      if (cursor.citation() !== "record") throw new Error(`not cited to its record: ${cursor.text}`)
      this.facts.push({ section: "state", ...Object(value), url: this.#record() })
      return
    }
    const [, namespace = "", version] = cursor.must(/([a-z][a-z0-9_.-]*) v(\d+) /)
    const updatedAt = this.#times.read(cursor)
    cursor.must(/: /)
    const state = cursor.json()
    if (cursor.citation() !== namespace) throw new Error(`another citation: ${cursor.text}`)
    this.facts.push({
      section: "state",
      namespace,
      version: Number(version),
      updatedAt,
      state,
      url: `/kw/clients/${this.#id}/context/state/${namespace}`
    })
  }

  #property(cursor: Cursor): void {
    const label = cursor.phrase()
    cursor.must(/: /)
    const value = cursor.json()
    if (cursor.take(/ (?=\d)/) !== null) this.#last = this.#times.read(cursor)
    const name = cursor.citation()
    const own = name in recordMembers[this.#entity]
    this.facts.push({
      section: "properties",
      name,
      label,
      value,
      updatedAt: this.#last,
      url: own ? this.#record() : `/kw/api/v1/${folders[this.#entity]}/${this.#id}/properties`
    })
  }

  #action(cursor: Cursor): void {
    const occurredAt = this.#times.read(cursor)
    const [, type] = cursor.must(/ ([a-z0-9_.-]+) by /)
    const [, actorType, actorId] = cursor.must(/([a-z]+)(?: (\d+))?/)
    const recordedAt = cursor.take(/, recorded /) === null ? occurredAt : this.#times.read(cursor)
    const parts: Array<unknown> = []
    if (cursor.take(/: /) !== null) {
      parts.push(cursor.json())
      if (cursor.take(/ (?=\{)/) !== null) parts.push(cursor.json())
    }
    const mark = cursor.citation()
    this.facts.push({
      section: "actions",
      type,
      actorType,
      actorId: actorId === undefined ? null : Number(actorId),
      occurredAt,
      recordedAt,
      summary: parts.find((one) => typeof one === "string") ?? null,
      payload: parts.find((one) => typeof one !== "string") ?? {},
      url: mark
    })
  }

  #heading(cursor: Cursor): void {
    this.#section = "Evidence"
    this.#times = new ReadTimes()
    const [, kind = ""] = cursor.must(/### (chat|ticket|conversation) /)
    const status = cursor.phrase()
    const number = cursor.take(/, number (\d+)/)?.[1]
    const title = cursor.take(/, title /) === null ? null : cursor.phrase()
    const subjectId = cursor.take(/, subject (\d+)/)?.[1]
    const subject = subjectId !== undefined && cursor.take(/ (?=[^,])/) !== null ? cursor.phrase() : null
    const channel = cursor.take(/, via /) === null ? null : cursor.phrase()
    const operators = cursor.take(/, operators /) === null ? [] : this.#operators(cursor)
    const priority = cursor.take(/, priority (low|high|urgent)/)?.[1]
    const tags = cursor.take(/, tags /) === null ? undefined : listOf(cursor, () => cursor.phrase())
    const customFields = cursor.take(/, fields (?=\{)/) === null ? undefined : cursor.json()
    const labels = { priority, tags, customFields, areCut: cursor.take(/, more tags or fields/) !== null }
    cursor.must(/, /)
    const createdAt = this.#times.read(cursor)
    this.#last = createdAt
    const closedAt = cursor.take(/ to /) === null ? null : this.#times.read(cursor)
    const common = { section: "evidence", kind, status, channel, createdAt, closedAt }
    this.#times = new ReadTimes(createdAt.slice(0, 10))
    if (kind === "conversation") {
      const mark = cursor.citation()
      this.#under = { kind, id: mark }
      this.facts.push({ ...common, url: mark })
      return
    }
    const [, messages] = cursor.must(/, (\d+) messages/)
    const found = cursor.take(/, ([a-z ,]+)(?= 【)/)?.[1] ?? ""
    const id = cursor.citation()
    this.#under = { kind, id }
    this.facts.push({
      ...common,
      id: Number(id),
      number: number === undefined ? null : Number(number),
      title,
      subjectId: subjectId === undefined ? null : Number(subjectId),
      subject,
      operators,
      ...labels,
      messageCount: Number(messages),
      found,
      url: this.#appealUrl()
    })
  }
  #operators(cursor: Cursor): ReadonlyArray<readonly [number, string | null]> {
    return listOf(cursor, () => {
      const id = Number(cursor.must(/\d+/)[0])
      if (cursor.take(/ /) !== null) this.#names.set(id, cursor.phrase())
      return [id, this.#names.get(id) ?? null]
    })
  }
  #appealUrl(): string | null {
    const { id, kind } = this.#under
    return this.#url(kind, `/kw/api/v1/${kind === "chat" ? "OpChatRooms" : "Ticket"}/${id}`)
  }

  #message(cursor: Cursor): void {
    const [, author, note] = cursor.must(/([a-z]+)( note)? /)
    const occurredAt = this.#times.read(cursor)
    cursor.must(/: /)
    const { text, truncated } = this.#text(cursor)
    const cited = cursor.citation()
    const { id, kind } = this.#under
    if (kind === "conversation") {
      if (!cited.startsWith(`${id}.`)) throw new Error(`not of its session: ${cursor.text}`)
      this.facts.push({ section: "evidence", author, occurredAt, text, truncated, url: cited })
      return
    }
    const appeal = this.#appealUrl()
    const messageId = cited === "ticket" ? null : Number(cited.split("v")[0])
    const url = messageId === null || appeal === null ? appeal : `${appeal}/messages?around=${cited}`
    const appealId = Number(id)
    const isNote = note !== undefined
    this.facts.push({
      section: "evidence",
      appealId,
      messageId,
      author,
      isNote,
      occurredAt,
      text,
      truncated,
      url
    })
  }

  #text(cursor: Cursor) {
    const isCutBefore = cursor.take(/cut /) !== null
    const text = cursor.json()
    const isCutAfter = cursor.take(/ cut/) !== null
    return { text, truncated: isCutBefore || isCutAfter }
  }

  #entry(cursor: Cursor): void {
    const occurredAt = this.#times.read(cursor)
    const [, kind = "", role] = cursor.must(/ (action|state|message)(?: ([a-z]+))?: /)
    const { text, truncated } = this.#text(cursor)
    const mark = cursor.citation()
    const isNamespace = kind === "state" && !/^s\d+$/u.test(mark)
    const url = isNamespace ? `/kw/clients/${this.#id}/context/state/${mark}` : mark
    this.facts.push({ section: this.#section.toLowerCase(), kind, role, occurredAt, text, truncated, url })
  }
}

/** The two forms of a pack have their facts in different orders. */
export const inAnyOrder = (facts: ReadonlyArray<Fact>): ReadonlyArray<string> =>
  facts
    .map((fact) =>
      canonicalJson(Object.fromEntries(Object.entries(fact).filter(([, value]) => value !== undefined)))
    )
    .toSorted()

/** The facts of a JSON pack, each with the mark of its citation, else with its url. */
export const factsOf = (pack: ContextPackJson): ReadonlyArray<Fact> => {
  const urls = new Map(
    pack.citations.map(({ id, mark, sourceType, url }) => [
      id,
      sourceType === "appeal_message" ? url : (mark ?? url)
    ])
  )
  const urlOf = ({ citationIds }: { readonly citationIds: ReadonlyArray<string> }) =>
    urls.get(citationIds[0] ?? "") ?? null
  const { actions, evidence, properties, state } = pack.sections
  const facts: Array<Fact> = []
  if (state?.status === "available") {
    if ("namespaces" in state)
      for (const { citationIds = state.citationIds ?? [], ...one } of state.namespaces)
        facts.push({
          section: "state",
          ...one,
          updatedAt: minuteOf(one.updatedAt),
          url: urlOf({ citationIds })
        })
    else {
      const { citationIds, status: _, ...own } = state
      facts.push({ section: "state", ...own, url: urlOf({ citationIds }) })
    }
  }
  if (properties?.status === "available")
    for (const [name, { citationIds, ...one }] of Object.entries(properties.values))
      facts.push({
        section: "properties",
        name,
        ...one,
        updatedAt: minuteOf(one.updatedAt),
        url: urlOf({ citationIds })
      })
  if (actions?.status === "available")
    for (const { citationIds, id: _, ...one } of actions.items)
      facts.push({
        section: "actions",
        ...one,
        occurredAt: minuteOf(one.occurredAt),
        recordedAt: minuteOf(one.recordedAt),
        url: urlOf({ citationIds })
      })
  const names = new Map(evidence?.operators?.map(({ id, name }) => [id, name]))
  for (const appeal of evidence?.appeals ?? []) {
    const { appealId, appealType, channel, closedAt, createdAt, messageCount, number, operatorIds } = appeal
    const { relation, snippets, status, subject, subjectId, targets, title } = appeal
    const { customFields, priority, tags, truncated: areCut } = appeal
    facts.push({
      section: "evidence",
      kind: appealType,
      status,
      channel,
      createdAt: minuteOf(createdAt),
      closedAt: closedAt === null ? null : minuteOf(closedAt),
      id: appealId,
      number,
      title,
      subjectId,
      subject,
      operators: operatorIds.map((id) => [id, names.get(id) ?? null]),
      priority,
      tags,
      customFields,
      areCut: areCut === true,
      messageCount,
      found: foundAs(relation, targets),
      url: urlOf(appeal)
    })
    for (const { authorType, citationIds, messageId, occurredAt, text, truncated, visibility } of snippets)
      facts.push({
        section: "evidence",
        appealId,
        messageId,
        author: authorType,
        isNote: visibility === "internal",
        occurredAt: minuteOf(occurredAt),
        text,
        truncated: truncated === true,
        url: urlOf({ citationIds })
      })
  }
  for (const { channel, closedAt, createdAt, mark, messages, status } of evidence?.conversations ?? []) {
    facts.push({
      section: "evidence",
      kind: "conversation",
      status,
      channel,
      createdAt: minuteOf(createdAt),
      closedAt: closedAt === null ? null : minuteOf(closedAt),
      url: mark
    })
    for (const { citationIds, occurredAt, role, text, truncated } of messages)
      facts.push({
        section: "evidence",
        author: role,
        occurredAt: minuteOf(occurredAt),
        text,
        truncated: truncated === true,
        url: urlOf({ citationIds })
      })
  }
  for (const [section, entries] of [
    ["interactions", evidence?.interactions ?? []],
    ["memory", evidence?.memories ?? []]
  ] as const)
    for (const { citationIds, kind, occurredAt, role, text, truncated } of entries)
      facts.push({
        section,
        kind,
        role,
        occurredAt: minuteOf(occurredAt),
        text,
        truncated: truncated === true,
        url: urlOf({ citationIds })
      })
  return facts
}

/** A time as Markdown shows it. */
const minuteOf = (iso: string): string => iso.slice(0, 16)

const foundAs = (relation: string, targets: ReadonlyArray<string>): string =>
  [
    [...new Set(targets.map((target) => (target.startsWith("relevant") ? "relevant" : "recent")))].join(" "),
    ...(relation === "subject_coverage" ? ["of a subject of the group"] : []),
    ...(relation === "member_participation" ? ["of a member of the group"] : [])
  ]
    .filter((one) => one !== "")
    .join(", ")

/** The reasons that a Markdown pack has to name. */
export const missingOf = (pack: ContextPackJson): ReadonlyArray<string> =>
  pack.coverage.details.map(({ reason }) => reason)
