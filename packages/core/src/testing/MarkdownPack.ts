// Compares a Markdown pack with the JSON pack of the same content, line by line, by the grammar of contract §3.5.
import { recordMembers } from "@rapport/contract/directory/PropertiesApi.ts"
import type { ContextPackJson } from "@rapport/contract/context/ContextPack.ts"
import type { CitationJson } from "../context/pack/PackDraft.ts"
import { canonicalJson } from "../json/CanonicalJson.ts"

/** What a line has to show at one place; a text stands as it is. */
type Part =
  | string
  | { readonly phrase: string }
  | { readonly json: unknown }
  | { readonly text: string; readonly isCut: boolean }
  | { readonly time: string }
  /** The time of a property, where it differs from that of the line above. */
  | { readonly changedAt: string }
  /** The name follows the id at its first use. */
  | { readonly operator: number; readonly name: string | undefined }

/** A fact of a JSON pack. `key` names its section, the heading above it and its citation. */
interface Fact {
  readonly key: string
  readonly parts: ReadonlyArray<Part>
  /** Messages of an appeal or a session begin with its date. */
  readonly dateBelow?: string
}

/** Throws at the first difference. */
export const assertSamePack = (markdown: string, pack: ContextPackJson): void => {
  const { closed, lines, readings, scope, sections } = readMarkdown(markdown)
  same(scope, pack.scope)
  same(sections.toSorted(), Object.keys(pack.sections).toSorted())
  same(readings, pack.sections.evidence?.readings ?? [])
  const facts = Map.groupBy(factsOf(pack, closed), ({ key }) => key)
  const reader = new LineReader()
  for (const { isFirst, key, text } of lines) {
    const fact = facts.get(key)?.shift()
    if (fact === undefined) throw new Error(`no such fact in JSON: ${text}`)
    reader.begin(text, isFirst)
    for (const part of fact.parts) reader.read(part)
    reader.end(fact.dateBelow)
  }
  same(
    [...facts].flatMap(([key, rest]) => rest.map(() => key)),
    []
  )
}

const same = (actual: unknown, expected: unknown): void => {
  if (canonicalJson(actual) !== canonicalJson(expected))
    throw new Error(`${canonicalJson(actual)} instead of ${canonicalJson(expected)}`)
}

/** The keys of the facts that a pack shows. */
export const shownIn = (markdown: string): ReadonlySet<string> =>
  new Set(readMarkdown(markdown).lines.map(({ key }) => key))
export const shownBy = (pack: ContextPackJson): ReadonlySet<string> =>
  new Set(factsOf(pack, new Set(["record", "chat", "ticket"])).map(({ key }) => key))

const keyOf = (section: string, under: string, mark: string) => `${section} ${under} ${mark}`

/** The lines of facts, and what stands around them. */
export const readMarkdown = (markdown: string) => {
  if (!markdown.endsWith("\n")) throw new Error("the last line has no end")
  const [title = "", ...rest] = markdown.slice(0, -1).split("\n")
  const [, entity = "", id = ""] = /^# (client|subject|operator|skill_group) (\d+)$/u.exec(title) ?? []
  const lines: Array<{ readonly key: string; readonly text: string; readonly isFirst: boolean }> = []
  const sections: Array<string> = []
  const readings: Array<object> = []
  const missing: Array<string> = []
  let closed: ReadonlyArray<string> = []
  let [section, under, isFirst] = ["", "", false]
  for (const [at, text] of rest.entries()) {
    const heading = /^## (State|Properties|Actions|Evidence|Missing)(?:[,:] .*)?$/u.exec(text)?.[1]
    const list = /^### (Interactions|Memory)(?:, newest last)?$/u.exec(text)?.[1]
    const withoutUrl = at === 0 ? /^without url: (.*)$/u.exec(text)?.[1] : undefined
    const reading = /^query word (".*") read as (".*"): (layout|transliteration|spelling)$/u.exec(text)
    const mark = / 【([^【】]+)】$/u.exec(text)?.[1]
    const reason = section === "missing" ? /^- .* \(([^()]+)\)$/u.exec(text)?.[1] : undefined
    if (heading !== undefined || list !== undefined) {
      isFirst = true
      under = list ?? ""
      section = heading?.toLowerCase() ?? section
      if (heading !== undefined && heading !== "Missing") sections.push(section)
    } else if (withoutUrl !== undefined) {
      closed = withoutUrl.split(", ")
    } else if (reading !== null && under === "") {
      const [, word = "", readAs = "", why] = reading
      readings.push({ word: JSON.parse(word), readAs: JSON.parse(readAs), why })
    } else if (reason !== undefined) {
      missing.push(reason)
    } else if (mark !== undefined && /^(?:- |### (?:chat|ticket|conversation) )/u.test(text)) {
      const isHeading = text.startsWith("#")
      if (isHeading) under = mark
      lines.push({ key: keyOf(section, under, mark), text, isFirst: isFirst || isHeading })
      isFirst = false
    } else if (!/^(?:shown: \d+ of \d+ |searched for: ")/u.test(text)) {
      throw new Error(`a line that is no fact: ${text}`)
    }
  }
  return { scope: { entity, id: Number(id) }, sections, lines, readings, missing, closed: new Set(closed) }
}

/** Reads the parts of one line after the other. */
class LineReader {
  #line = ""
  #at = 0
  /** A date is written where it changes. */
  #date = ""
  #changedAt = ""
  readonly #named = new Set<number>()

  begin(line: string, isFirst: boolean): void {
    this.#line = line
    this.#at = 0
    if (isFirst) this.#date = this.#changedAt = ""
  }

  end(dateBelow: string | undefined): void {
    if (this.#at !== this.#line.length) throw this.#wrong("the end")
    if (dateBelow !== undefined) this.#date = dateBelow
  }

  read(part: Part): void {
    if (typeof part === "string") return this.#literal(part)
    if ("phrase" in part) return this.#phrase(part.phrase)
    if ("json" in part) return this.#json(part.json)
    if ("time" in part) return this.#time(part.time)
    if ("changedAt" in part) {
      if (minuteOf(part.changedAt) === this.#changedAt) return
      this.#changedAt = minuteOf(part.changedAt)
      this.#literal(" ")
      return this.#time(part.changedAt)
    }
    if ("operator" in part) {
      const isNew = part.name !== undefined && !this.#named.has(part.operator)
      this.#literal(String(part.operator))
      if (!isNew) return
      this.#named.add(part.operator)
      this.#literal(" ")
      return this.#phrase(part.name ?? "")
    }
    const isCutBefore = this.#take("cut ")
    this.#json(part.text)
    const isCutAfter = this.#take(" cut")
    same(isCutBefore || isCutAfter, part.isCut)
  }

  #wrong(expected: string): Error {
    return new Error(`no ${expected} at ${this.#at} of ${this.#line}`)
  }
  #take(text: string): boolean {
    const isThere = this.#line.startsWith(text, this.#at)
    if (isThere) this.#at += text.length
    return isThere
  }
  #literal(text: string): void {
    if (!this.#take(text)) throw this.#wrong(text)
  }
  #phrase(text: string): void {
    if (this.#line[this.#at] === '"') return this.#json(text)
    if (!/^[\p{L}\p{N}][\p{L}\p{N} _.'’-]*$/u.test(text)) throw this.#wrong("quoted text")
    this.#literal(text)
  }
  #time(iso: string): void {
    const [date, minutes] = [iso.slice(0, 10), iso.slice(11, 16)]
    this.#literal(date === this.#date ? minutes : `${date} ${minutes}`)
    this.#date = date
  }
  /** A JSON value. Its brackets and quotes show where it ends. */
  #json(expected: unknown): void {
    const token = /"(?:[^"\\]|\\.)*"|[{[]|[}\]]|[^{}[\]"\s]+/uy
    token.lastIndex = this.#at
    let depth = 0
    do {
      const found = token.exec(this.#line)?.[0]
      if (found === undefined) throw this.#wrong("JSON")
      if (found === "{" || found === "[") depth++
      if (found === "}" || found === "]") depth--
    } while (depth > 0)
    same(JSON.parse(this.#line.slice(this.#at, token.lastIndex)), expected)
    this.#at = token.lastIndex
  }
}

const minuteOf = (iso: string): string => iso.slice(0, 16)

const folders = { client: "clients", subject: "subjects", operator: "users", skill_group: "skill-groups" }

/** The facts of a JSON pack. A url follows from the citation, or is null for the kinds of sources that are `closed`. */
const factsOf = (pack: ContextPackJson, closed: ReadonlySet<string>): ReadonlyArray<Fact> => {
  const citations = new Map(pack.citations.map((one) => [one.id, one]))
  const { entity, id: scopeId } = pack.scope
  const record = `/kw/api/v1/${folders[entity]}/${scopeId}`
  const stateUrl = (namespace: string) => `/kw/clients/${scopeId}/context/state/${namespace}`
  const facts: Array<Fact> = []
  const add = (
    [section, under = ""]: readonly [section: string, under?: string],
    mark: string,
    parts: ReadonlyArray<Part>,
    more: Omit<Fact, "key" | "parts"> = {}
  ) => facts.push({ key: keyOf(section, under, mark), parts: [...parts, ` 【${mark}】`], ...more })
  const citationOf = ({ citationIds }: { readonly citationIds: ReadonlyArray<string> }): CitationJson => {
    const citation = citations.get(citationIds[0] ?? "")
    if (citation === undefined) throw new Error("a fact without a citation")
    return citation
  }
  const checkUrl = ({ url }: CitationJson, expected: string, kind = "") => {
    if (url !== null || !closed.has(kind)) same(url, expected)
  }

  const { actions, evidence, properties, state } = pack.sections
  if (state?.status === "available" && "namespaces" in state)
    for (const { citationIds, namespace, state: value, updatedAt, version } of state.namespaces) {
      if (citationIds !== undefined) checkUrl(citationOf({ citationIds }), stateUrl(namespace))
      add(["state"], namespace, [`- ${namespace} v${version} `, { time: updatedAt }, ": ", { json: value }])
    }
  else if (state?.status === "available") {
    const { citationIds, status: _, ...own } = state
    checkUrl(citationOf({ citationIds }), record, "record")
    add(["state"], "record", ["- ", { json: own }])
  }
  if (properties?.status === "available")
    for (const [name, one] of Object.entries(properties.values)) {
      const isOwn = name in recordMembers[entity]
      checkUrl(citationOf(one), isOwn ? record : `${record}/properties`, isOwn ? "record" : "")
      const shown: ReadonlyArray<Part> = [{ phrase: one.label }, ": ", { json: one.value }]
      add(["properties"], name, ["- ", ...shown, { changedAt: one.updatedAt }])
    }
  if (actions?.status === "available")
    for (const one of actions.items) {
      const { actorId, actorType, occurredAt, payload, recordedAt, summary, type } = one
      const said: ReadonlyArray<Part> = [
        ...(summary === null ? [] : [" ", { json: summary }]),
        ...(canonicalJson(payload) === "{}" ? [] : [" ", { json: payload }])
      ]
      add(["actions"], citationOf(one).mark ?? "", [
        "- ",
        { time: occurredAt },
        ` ${type} by ${actorType}${actorId === null ? "" : ` ${actorId}`}`,
        ...(minuteOf(recordedAt) === minuteOf(occurredAt) ? [] : [", recorded ", { time: recordedAt }]),
        ...(said.length === 0 ? [] : [":", ...said])
      ])
    }

  const names = new Map(evidence?.operators?.map(({ id, name }) => [id, name]))
  for (const appeal of evidence?.appeals ?? []) {
    const { appealId, appealType, snippets } = appeal
    const url = `/kw/api/v1/${appealType === "chat" ? "OpChatRooms" : "Ticket"}/${appealId}`
    const under = String(appealId)
    checkUrl(citationOf(appeal), url, appealType)
    add(["evidence", under], under, appealParts(appeal, names), { dateBelow: appeal.createdAt.slice(0, 10) })
    for (const one of snippets) {
      const citation = citationOf(one)
      const mark = one.messageId === null ? "ticket" : (citation.mark ?? citation.sourceId)
      checkUrl(citation, one.messageId === null ? url : `${url}/messages?around=${mark}`, appealType)
      const by = `- ${one.authorType}${one.visibility === "internal" ? " note" : ""} `
      add(["evidence", under], mark, [by, { time: one.occurredAt }, ": ", textOf(one)])
    }
  }
  for (const conversation of evidence?.conversations ?? []) {
    const { channel, createdAt, mark, messages, status } = conversation
    const via = channel === null ? [] : [", via ", { phrase: channel }]
    const heading = [`### conversation ${status}`, ...via, ", ", ...spanOf(conversation)]
    add(["evidence", mark], mark, heading, { dateBelow: createdAt.slice(0, 10) })
    for (const one of messages) {
      const parts = [`- ${one.role} `, { time: one.occurredAt }, ": ", textOf(one)]
      add(["evidence", mark], citationOf(one).mark ?? "", parts)
    }
  }
  for (const [list, entries] of [
    ["Interactions", evidence?.interactions ?? []],
    ["Memory", evidence?.memories ?? []]
  ] as const)
    for (const one of entries) {
      const { mark, url } = citationOf(one)
      const namespace = url?.split("/").at(-1) ?? ""
      if (mark === undefined) same(url, stateUrl(namespace))
      const by = ` ${one.kind}${one.role === undefined ? "" : ` ${one.role}`}: `
      add(["evidence", list], mark ?? namespace, ["- ", { time: one.occurredAt }, by, textOf(one)])
    }
  return facts
}

type AppealJson = NonNullable<ContextPackJson["sections"]["evidence"]>["appeals"][number]

const appealParts = (appeal: AppealJson, names: ReadonlyMap<number, string>): ReadonlyArray<Part> => {
  const { appealType, channel, customFields, messageCount, number, operatorIds, priority } = appeal
  const { relation, status, subject, subjectId, tags, targets, title, truncated } = appeal
  return [
    `### ${appealType} `,
    { phrase: status },
    ...(number === null ? [] : [`, number ${number}`]),
    ...(title === null ? [] : [", title ", { phrase: title }]),
    ...(subjectId === null ? [] : [`, subject ${subjectId}`]),
    ...(subjectId === null || subject === null ? [] : [" ", { phrase: subject }]),
    ...(channel === null ? [] : [", via ", { phrase: channel }]),
    ...operatorIds.flatMap((operator, at) => [
      at === 0 ? ", operators " : "; ",
      { operator, name: names.get(operator) }
    ]),
    ...(priority === undefined ? [] : [`, priority ${priority}`]),
    ...(tags ?? []).flatMap((tag, at) => [at === 0 ? ", tags " : "; ", { phrase: tag }]),
    ...(customFields === undefined ? [] : [", fields ", { json: customFields }]),
    ...(truncated === true ? [", more tags or fields"] : []),
    ", ",
    ...spanOf(appeal),
    `, ${messageCount} messages`,
    ...foundAs(relation, targets).map((found) => `, ${found}`)
  ]
}

const spanOf = ({
  closedAt,
  createdAt
}: {
  readonly createdAt: string
  readonly closedAt: string | null
}): ReadonlyArray<Part> => [{ time: createdAt }, ...(closedAt === null ? [] : [" to ", { time: closedAt }])]

const textOf = (one: { readonly text: string; readonly truncated?: true }): Part => ({
  text: one.text,
  isCut: one.truncated === true
})

const foundAs = (relation: string, targets: ReadonlyArray<string>): ReadonlyArray<string> => {
  const by = new Set(targets.map((target) => (target.startsWith("relevant") ? "relevant" : "recent")))
  return [
    ...(by.size === 0 ? [] : [[...by].join(" ")]),
    ...(relation === "subject_coverage" ? ["of a subject of the group"] : []),
    ...(relation === "member_participation" ? ["of a member of the group"] : [])
  ]
}
