// A pack as Markdown, for the context of a language model: each fact on one line that ends with its citation
// (contract §3.5).
import { targetsNeedingQuery } from "@rapport/contract/context/ContextRequest.ts"
import { citationSuffix, inSameMinute, literal, phrase, Times } from "./MarkdownText.ts"
import { missingLines, targetNames } from "./MarkdownMissing.ts"
import {
  type ActionJson,
  type AppealHeaderJson,
  type Cited,
  type CitationJson,
  type ConversationMessageJson,
  type EvidenceDraft,
  type InteractionJson,
  type MeasuredPart,
  type MemoryJson,
  type PackDraft,
  partsIn,
  type PropertyJson,
  type SnippetJson
} from "./PackDraft.ts"
import { markdownType, type PackForm } from "./PackForm.ts"
import { packHashOf } from "./PackJson.ts"
import { returnedOf } from "./Citations.ts"
import { tokensOfLine, utf8Bytes } from "./Tokens.ts"
import { sum } from "./Coverage.ts"
import { memoize } from "../../values/Memoize.ts"

/** The Markdown form of the drafts of one request. */
export const markdownForm = (sha256: (text: string) => string): PackForm => {
  const linesOf = memoize(makeLinesOf())
  const bytes = (cut: PackDraft) => sum(linesOf(cut).map((line) => line.bytes))
  const tokens = (cut: PackDraft) => sum(linesOf(cut).map((line) => line.tokens()))
  return {
    parts: linesOf,
    bytes,
    tokens,
    written: (cut) => ({
      text: linesOf(cut)
        .map(({ text }) => text)
        .join(""),
      contentType: markdownType,
      packHash: packHashOf(cut, sha256),
      bytes: bytes(cut),
      tokens: tokens(cut)
    })
  }
}

/** One line with its end. */
interface Line extends MeasuredPart {
  readonly text: string
}

interface Writer {
  /** The line of a fact, cached for each form of its time: only the first line of a list has the date. */
  readonly fact: (
    fact: object,
    section: MeasuredPart["section"],
    at: string,
    text: () => string,
    namespace?: string | null
  ) => Line
  readonly frame: (section: MeasuredPart["section"] | null, text: string) => Line
}

/** Writes the cuts of a draft. Each line is written and counted once. */
const makeLinesOf = () => {
  const facts = new Map<object, Map<string, Line>>()
  const frames = new Map<string, Line>()
  const fact: Writer["fact"] = (key, section, at, text, namespace = null) => {
    const lines = facts.get(key) ?? new Map<string, Line>()
    facts.set(key, lines)
    const known = lines.get(at) ?? lineOf({ section, namespace, text: `${text()}\n` })
    lines.set(at, known)
    return known
  }
  const frame: Writer["frame"] = (section, text) => {
    const key = `${section} ${text}`
    const known = frames.get(key) ?? lineOf({ section, namespace: null, text: `${text}\n` })
    frames.set(key, known)
    return known
  }
  const writer = { fact, frame }
  return (cut: PackDraft): ReadonlyArray<Line> => {
    const missing = missingLines(cut)
    return [
      frame(null, `# ${cut.scope.entity} ${cut.scope.id}`),
      ...withoutUrl(cut).map((text) => frame(null, text)),
      ...stateLines(cut, writer),
      ...propertyLines(cut, writer),
      ...actionLines(cut, writer),
      ...(cut.evidence === null ? [] : evidenceLines(cut.evidence, writer)),
      ...(missing.length === 0 ? [] : ["## Missing", ...missing]).map((text) => frame(null, text))
    ]
  }
}

const lineOf = ({ namespace, section, text }: Pick<Line, "namespace" | "section" | "text">): Line => {
  let tokens: number | undefined
  return {
    namespace,
    section,
    text,
    bytes: utf8Bytes(text),
    tokens: () => (tokens ??= tokensOfLine(text))
  }
}

const stateLines = ({ state }: PackDraft, { fact, frame }: Writer): ReadonlyArray<Line> => {
  if (state === null) return []
  const heading = frame("state", "## State")
  const times = new Times()
  switch (state._tag) {
    case "Unavailable":
      return [heading]
    case "Own": {
      const { citationIds: _, status: __, ...own } = state.own.value
      return [
        heading,
        fact(state.own, "state", "", () => `- ${literal(own)} ${citationOf(state.own.citation)}`)
      ]
    }
    case "Namespaces":
      return [
        heading,
        ...state.namespaces.map((one) => {
          const { namespace, updatedAt, version, ...value } = one.value
          const at = times.shown(updatedAt)
          return fact(
            one,
            "state",
            at,
            () => `- ${namespace} v${version} ${at}: ${literal(value.state)} ${citationSuffix(namespace)}`,
            namespace
          )
        })
      ]
  }
}

const propertyLines = ({ properties }: PackDraft, { fact, frame }: Writer): ReadonlyArray<Line> => {
  if (properties === null) return []
  const heading = frame("properties", "## Properties")
  if (properties._tag === "Unavailable") return [heading]
  const times = new Times()
  let last = ""
  return [
    heading,
    ...properties.values.map(({ cited: one, name }) => {
      // Properties often change together: write a time only if it differs from the line above.
      const { updatedAt } = one.value
      const at = inSameMinute(updatedAt, last) ? "" : ` ${times.shown(updatedAt)}`
      last = updatedAt
      return fact(one, "properties", at, () => propertyText(name, one.value, at))
    })
  ]
}

const propertyText = (name: string, { label, value }: PropertyJson, at: string): string =>
  `- ${phrase(label)}: ${literal(value)}${at} ${citationSuffix(name)}`

const actionLines = ({ actions }: PackDraft, { fact, frame }: Writer): ReadonlyArray<Line> => {
  if (actions === null) return []
  if (actions._tag === "Unavailable") return [frame("actions", "## Actions")]
  const times = new Times()
  return [
    frame("actions", actionsHeading(actions)),
    ...newestLast(actions.items, actions.matching).map((one) => {
      const { occurredAt, recordedAt } = one.value
      const at = times.shown(occurredAt)
      const recorded = inSameMinute(recordedAt, occurredAt) ? "" : `, recorded ${times.shown(recordedAt)}`
      return fact(one, "actions", at + recorded, () => actionText(one, at, recorded))
    })
  ]
}

const actionsHeading = ({
  matching,
  truncated
}: {
  readonly matching: number
  readonly truncated: boolean
}) =>
  `## Actions, ${matching === 0 ? "" : "matching first, then "}newest last${truncated ? ", there are older ones" : ""}`

/**
 * Items that the query found, best first, then the others in the order of time. New data then leaves the text before it unchanged,
 * so that prompt caches of models keep it.
 */
const newestLast = <A>(newestFirst: ReadonlyArray<A>, found = 0): ReadonlyArray<A> => [
  ...newestFirst.slice(0, found),
  ...newestFirst.slice(found).toReversed()
]

const actionText = ({ citation, value }: Cited<ActionJson>, at: string, recorded: string): string => {
  const { actorId, actorType, payload, summary, type } = value
  const by = actorId === null ? actorType : `${actorType} ${actorId}`
  const payloadText = literal(payload)
  const said = [
    ...(summary === null ? [] : [literal(summary)]),
    ...(payloadText === "{}" ? [] : [payloadText])
  ]
  return `- ${at} ${type} by ${by}${recorded}${said.length === 0 ? "" : `: ${said.join(" ")}`} ${citationOf(citation)}`
}

const evidenceLines = (evidence: EvidenceDraft, writer: Writer): ReadonlyArray<Line> => {
  const { frame } = writer
  const shown = evidence.targets.flatMap(({ candidates, reason, target }) =>
    reason === null ? [`${returnedOf(evidence, target)} of ${candidates} ${targetNames[target]}`] : []
  )
  const found = evidence.appeals.filter(isFound)
  const operatorNames = makeOperatorNames(evidence)
  const others = evidence.appeals.filter((appeal) => !isFound(appeal))
  return [
    frame("evidence", "## Evidence"),
    ...evidence.readings.map((reading) => frame("evidence", readingText(reading))),
    ...found.flatMap((appeal) => appealLines(appeal, operatorNames, writer)),
    ...entryLines("### Memory", evidence.memories, writer),
    ...newestLast(others).flatMap((appeal) => appealLines(appeal, operatorNames, writer)),
    ...newestLast(evidence.conversations).flatMap((conversation) => conversationLines(conversation, writer)),
    ...entryLines("### Interactions, newest last", newestLast(evidence.interactions), writer),
    ...(shown.length === 0 ? [] : [frame("evidence", `shown: ${shown.join(", ")}`)]),
    ...(evidence.query === null ? [] : [frame("evidence", `searched for: ${literal(evidence.query)}`)])
  ]
}

/** Writes operators: the name follows the id where the pack first mentions it. */
const makeOperatorNames = ({ operators }: EvidenceDraft) => {
  const names = new Map(operators.map(({ id, name }) => [id, name]))
  return (ids: ReadonlyArray<number>): string =>
    ids
      .map((id) => {
        const name = names.get(id)
        names.delete(id)
        return name === undefined ? String(id) : `${id} ${phrase(name)}`
      })
      .join("; ")
}

/** Whether the query found the appeal, not only its time. */
const isFound = ({ header }: EvidenceDraft["appeals"][number]): boolean =>
  header.value.targets.some((target) => targetsNeedingQuery.includes(target))

const appealLines = (
  { header, snippets }: EvidenceDraft["appeals"][number],
  named: ReturnType<typeof makeOperatorNames>,
  { fact }: Writer
): ReadonlyArray<Line> => {
  const times = new Times()
  const { closedAt, createdAt, operatorIds } = header.value
  const span = `${times.shown(createdAt)}${closedAt === null ? "" : ` to ${times.shown(closedAt)}`}`
  const operators = named(operatorIds)
  const within = new Times(createdAt.slice(0, 10))
  const matching = snippets.filter(({ value }) => value.score !== null).length
  return [
    fact(header, "evidence", span + operators, () => appealText(header, span, operators)),
    ...newestLast(snippets, matching).map((one) => {
      const at = within.shown(one.value.occurredAt)
      return fact(one, "evidence", at, () => snippetText(one, at))
    })
  ]
}

const conversationLines = (
  { header, messages }: EvidenceDraft["conversations"][number],
  { fact }: Writer
): ReadonlyArray<Line> => {
  const times = new Times()
  const { channel, closedAt, createdAt, mark, status } = header
  const span = `${times.shown(createdAt)}${closedAt === null ? "" : ` to ${times.shown(closedAt)}`}`
  const via = channel === null ? "" : `, via ${phrase(channel)}`
  const within = new Times(createdAt.slice(0, 10))
  return [
    fact(header, "evidence", span, () => `### conversation ${status}${via}, ${span} ${citationSuffix(mark)}`),
    ...messages.map((one) => {
      const at = within.shown(one.value.occurredAt)
      return fact(one, "evidence", at, () => messageText(one, at))
    })
  ]
}

const readingText = ({ readAs, why, word }: EvidenceDraft["readings"][number]): string =>
  `query word ${literal(word)} read as ${literal(readAs)}: ${why}`

const appealText = (
  { citation, value }: Cited<AppealHeaderJson>,
  span: string,
  operators: string
): string => {
  const {
    appealType,
    channel,
    customFields,
    messageCount,
    number,
    priority,
    relation,
    status,
    subject,
    subjectId,
    tags = [],
    targets,
    title,
    truncated
  } = value
  const subjectText =
    subjectId === null ? "" : `, subject ${subjectId}${subject === null ? "" : ` ${phrase(subject)}`}`
  return [
    `### ${appealType} ${phrase(status)}`,
    number === null ? "" : `, number ${number}`,
    title === null ? "" : `, title ${phrase(title)}`,
    subjectText,
    channel === null ? "" : `, via ${phrase(channel)}`,
    operators === "" ? "" : `, operators ${operators}`,
    priority === undefined ? "" : `, priority ${priority}`,
    tags.length === 0 ? "" : `, tags ${tags.map(phrase).join("; ")}`,
    customFields === undefined ? "" : `, fields ${literal(customFields)}`,
    truncated === undefined ? "" : ", more tags or fields",
    `, ${span}, ${messageCount} messages`,
    foundBy(relation, targets),
    ` ${citationOf(citation)}`
  ].join("")
}

/** The targets that found the appeal, and for a skill group how it belongs to the group. */
const foundBy = (relation: AppealHeaderJson["relation"], targets: AppealHeaderJson["targets"]): string => {
  const by =
    targets.length === 0 ? "" : `, ${[...new Set(targets.map((target) => targetNames[target]))].join(" ")}`
  switch (relation) {
    case "subject_coverage":
      return `${by}, of a subject of the group`
    case "member_participation":
      return `${by}, of a member of the group`
    default:
      return by
  }
}

const snippetText = (one: Cited<SnippetJson>, at: string): string =>
  `- ${one.value.authorType}${one.value.visibility === "internal" ? " note" : ""} ${at}: ${textOf(one)} ${citationOf(one.citation)}`

/** A text, with `cut` on each side that was cut. */
const textOf = ({ cut, value }: Cited<{ readonly text: string }>): string =>
  `${cut?.cutBefore === true ? "cut " : ""}${literal(value.text)}${cut?.cutAfter === true ? " cut" : ""}`

const messageText = (one: Cited<ConversationMessageJson>, at: string): string =>
  `- ${one.value.role} ${at}: ${textOf(one)} ${citationOf(one.citation)}`

const entryLines = (
  heading: string,
  entries: ReadonlyArray<Cited<InteractionJson> | Cited<MemoryJson>>,
  { fact, frame }: Writer
): ReadonlyArray<Line> => {
  if (entries.length === 0) return []
  const times = new Times()
  return [
    frame("evidence", heading),
    ...entries.map((one) => {
      const { kind, occurredAt, role } = one.value
      const at = times.shown(occurredAt)
      const by = role === undefined ? "" : ` ${role}`
      return fact(
        one,
        "evidence",
        at,
        () => `- ${at} ${kind}${by}: ${textOf(one)} ${citationOf(one.citation)}`
      )
    })
  ]
}

/** The short citation of a line: the heading and contract §3.5 supply the rest. */
const citationOf = ({ mark, sourceId, sourceType, url }: CitationJson): string => {
  switch (sourceType) {
    case "ticket":
      return citationSuffix("ticket")
    case "operator":
    case "skill_group":
      return citationSuffix("record")
    case "memory":
      return citationSuffix(mark ?? namespaceIn(url))
    default:
      return citationSuffix(mark ?? sourceId)
  }
}

/** The namespace of a state among memories, which has no mark. */
const namespaceIn = (url: string | null): string =>
  decodeURIComponent(/\/context\/state\/([^/]+)$/u.exec(url ?? "")?.[1] ?? "")

/** The kinds of sources without a url, because the caller may not read them there. */
const withoutUrl = (cut: PackDraft): ReadonlyArray<string> => {
  const { appeals, own, properties } = partsIn(cut)
  const closed = new Set<string>()
  for (const { header } of appeals) if (header.citation.url === null) closed.add(header.value.appealType)
  const records = [...own, ...properties.map((property) => property.cited)]
  if (records.some(({ citation }) => citation.url === null)) closed.add("record")
  return closed.size === 0 ? [] : [`without url: ${[...closed].toSorted().join(", ")}`]
}
