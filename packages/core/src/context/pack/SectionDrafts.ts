// Drafts the sections of a pack from the rows that were read, each fact with its citation.
import { type PartResult, valueOf } from "../../failures/SourceUnavailable.ts"
import type { AppealRow, ContextScope, OpenedParts } from "../read/ContextStore.ts"
import type { EvidenceParts, SectionParts } from "../read/ReadSources.ts"
import type { Marks } from "./Marks.ts"
import {
  appealOf,
  type Cite,
  type CitedSource,
  conversationOf,
  type SourceUrls,
  stateCitation
} from "./Citations.ts"
import type {
  ActionsDraft,
  Cited,
  CutSides,
  EvidenceDraft,
  PackDraft,
  PropertiesDraft,
  SnippetJson,
  StateDraft
} from "./PackDraft.ts"
import type { SessionRole } from "@rapport/contract/sessions/SessionsApi.ts"
import type { Relation } from "@rapport/contract/context/ContextPack.ts"
import { APPEAL_LABELS_POINTS_MAX } from "@rapport/contract/Limits.ts"
import { pointsOf } from "@rapport/contract/values/Checks.ts"
import { Struct } from "effect"
import type { ContextTarget } from "@rapport/contract/context/ContextRequest.ts"
import { searchCoverageOf } from "../read/AppealChoice.ts"
import type { AppealEvidence, ShownSnippet } from "../read/AppealSearch.ts"
import type { FoundMemory } from "../../memory/MemoryStore.ts"
import { distinctReadings } from "../../search/text/Readings.ts"
import { matcherOf } from "../../search/text/Snippets.ts"
import type { ContextPlan } from "../read/ContextPlan.ts"

/** Cites the objects of one pack. */
interface Citing {
  readonly cite: Cite
  readonly urls: SourceUrls
  readonly marks: Marks
}

/** Makes the sections of a pack in the order of the answer, in which their citations are numbered. */
export const sectionsOf = (
  plan: ContextPlan,
  { actions, properties, state }: Pick<SectionParts, "state" | "actions" | "properties">,
  evidence: EvidenceParts,
  citing: Citing
): Pick<PackDraft, "state" | "actions" | "properties" | "evidence"> => ({
  state: state && stateDraft(plan.scope, state, citing),
  actions: actions && actionsDraft(plan, actions, citing),
  properties: properties && propertiesDraft(plan.scope, properties, citing),
  evidence: plan.sections.has("evidence") ? evidenceDraft(plan, evidence, citing) : null
})

/** The current state of the entity, of a client by namespace. */
const stateDraft = (
  scope: ContextScope,
  rows: PartResult<NonNullable<OpenedParts["state"]>>,
  { cite, urls }: Citing
): StateDraft => {
  if (rows._tag === "Unavailable") return rows
  const state = rows.value
  const source = (sourceType: "operator" | "skill_group"): CitedSource => ({
    sourceType,
    sourceId: String(scope.id),
    occurredAt: null,
    url: urls.record(sourceType, scope.id)
  })
  switch (state._tag) {
    case "Client": {
      const namespaces = state.namespaces.map(({ id, leftBytes, ...row }, index) =>
        left(
          leftBytes,
          cite(row, `sections.state.namespaces[${index}]`, {
            sourceType: "state",
            sourceId: id,
            occurredAt: row.updatedAt,
            url: urls.state(scope.id, row.namespace)
          })
        )
      )
      const citation = stateCitation(namespaces, scope.id, urls)
      return { _tag: "Namespaces", namespaces, citation, isCitedWhole: false }
    }
    case "Operator": {
      const shown = { ...state.operator, status: "available" as const }
      return { _tag: "Own", own: cite(shown, "sections.state", source("operator")) }
    }
    case "SkillGroup": {
      const shown = { ...state.skillGroup, status: "available" as const }
      return { _tag: "Own", own: cite(shown, "sections.state", source("skill_group")) }
    }
  }
}

/** Actions of a client, newest first; with a query, actions with a word of it come before the others. */
const actionsDraft = (
  { scope, textQuery }: ContextPlan,
  rows: PartResult<NonNullable<OpenedParts["actions"]>>,
  { cite, marks, urls }: Citing
): ActionsDraft => {
  if (rows._tag === "Unavailable") return rows
  const matches = matcherOf(textQuery)
  const byMatch = Map.groupBy(rows.value.rows, ({ summary, type }) => matches(summary ?? type))
  const [matching, others] = [byMatch.get(true) ?? [], byMatch.get(false) ?? []]
  return {
    _tag: "Actions",
    matching: matching.length,
    truncated: rows.value.more,
    items: [...matching, ...others].map((found, index) => {
      const { appealId: _, leftBytes, ...row } = found
      return left(
        leftBytes,
        cite(row, `sections.actions.items[${index}]`, {
          sourceType: "action",
          sourceId: row.id,
          mark: marks.action(row.id),
          occurredAt: row.occurredAt,
          url: urls.action(scope.id, row.id)
        })
      )
    })
  }
}

const left = <Value>(leftBytes: number | null, cited: Cited<Value>): Cited<Value> =>
  leftBytes === null ? cited : { ...cited, leftBytes }

/** Members of the record itself, then the properties that the caller may see. */
const propertiesDraft = (
  scope: ContextScope,
  rows: PartResult<NonNullable<OpenedParts["properties"]>>,
  { cite, urls }: Citing
): PropertiesDraft => {
  if (rows._tag === "Unavailable") return rows
  return {
    _tag: "Properties",
    values: rows.value.map(({ definitionId, id, name, ...row }) => ({
      name,
      cited: cite(row, `sections.properties.values.${name}`, {
        sourceType: "property",
        sourceId: id,
        occurredAt: row.updatedAt,
        url:
          definitionId === null
            ? urls.record(scope.entity, scope.id)
            : urls.properties(scope.entity, scope.id)
      })
    }))
  }
}

const path = "sections.evidence"

const evidenceDraft = (plan: ContextPlan, parts: EvidenceParts, citing: Citing): EvidenceDraft => {
  const { cite, marks, urls } = citing
  const requested = Object.values(parts).filter((part) => part !== null)
  const reasons = requested.flatMap((part) => (part._tag === "Unavailable" ? [part.reason] : []))
  return {
    status:
      reasons.length === 0 ? "available" : reasons.length < requested.length ? "partial" : "unavailable",
    reason: reasons[0] ?? null,
    targets: targetsOf(plan, parts),
    appeals: appealsOf(plan, parts.appeals, citing),
    conversations: valueOf(parts.conversations, []).map((found, place) => {
      const { appealId: _, messages, ...header } = found
      return conversationOf(
        { ...header, mark: marks.session(header.sessionId) },
        messages.map(({ cutAfter, ...row }, index) =>
          textCited(
            cite,
            row,
            { cutBefore: false, cutAfter },
            `${path}.conversations[${place}].messages[${index}]`,
            {
              sourceType: "session_message",
              sourceId: row.messageId,
              mark: marks.message(row.messageId),
              occurredAt: row.occurredAt,
              url: urls.sessionMessage(header.sessionId, row.messageId)
            }
          )
        )
      )
    }),
    interactions: valueOf(parts.interactions, []).map((found, place) => {
      const { appealId: _, cutAfter, role, sessionId, ...own } = found
      const row = { ...own, ...writtenBy(role) }
      return textCited(cite, row, { cutBefore: false, cutAfter }, `${path}.interactions[${place}]`, {
        sourceType: row.kind === "action" ? "action" : "session_message",
        sourceId: row.id,
        mark: row.kind === "action" ? marks.action(row.id) : marks.message(row.id),
        occurredAt: row.occurredAt,
        url: sessionId === null ? urls.action(plan.scope.id, row.id) : urls.sessionMessage(sessionId, row.id)
      })
    }),
    memories: memoriesOf(parts).map((memory, place) => {
      const { appealId: _, cutAfter, cutBefore, namespace: __, role, sessionId: ___, ...own } = memory
      const row = { ...own, ...writtenBy(role) }
      return textCited(cite, row, { cutBefore, cutAfter }, `${path}.memories[${place}]`, {
        sourceType: "memory",
        sourceId: row.id,
        ...memoryMark(memory, marks),
        occurredAt: row.occurredAt,
        url: memoryUrl(plan.scope.id, memory, urls)
      })
    }),
    operators: operatorsOf(valueOf(parts.appeals, null)?.rows.values() ?? []),
    query: plan.conversation === null ? null : plan.query,
    readings: distinctReadings([
      ...(valueOf(parts.appeals, null)?.readings ?? []),
      ...(valueOf(parts.memories, null)?.readings ?? [])
    ])
  }
}

const memoriesOf = ({ memories }: EvidenceParts): ReadonlyArray<FoundMemory> =>
  valueOf(memories, null)?.memories ?? []

const writtenBy = (role: SessionRole | null) => (role === null ? {} : { role })

/** A text of which only a part may be shown. */
const textCited = <Shown extends object>(
  cite: Cite,
  shown: Shown,
  cut: CutSides,
  at: string,
  source: CitedSource
): ReturnType<typeof cite<Shown & { readonly truncated?: true }>> =>
  cut.cutBefore || cut.cutAfter
    ? { ...cite({ ...shown, truncated: true as const }, at, source), cut }
    : cite(shown, at, source)

/** A state of a namespace is cited by its name. */
const memoryMark = ({ id, kind, sessionId }: FoundMemory, marks: Marks) => {
  switch (kind) {
    case "action":
      return { mark: marks.action(id) }
    case "message":
      return { mark: marks.message(id) }
    case "state":
      return sessionId === null ? {} : { mark: marks.session(sessionId) }
  }
}

const memoryUrl = (clientId: number, { id, namespace, sessionId }: FoundMemory, urls: SourceUrls): string =>
  sessionId !== null
    ? sessionId === id
      ? urls.session(sessionId)
      : urls.sessionMessage(sessionId, id)
    : namespace !== null
      ? urls.state(clientId, namespace)
      : urls.action(clientId, id)

const targetDraft = (target: ContextTarget | null, part: PartResult<unknown> | null, candidates: number) =>
  part === null || target === null
    ? []
    : [{ target, reason: part._tag === "Unavailable" ? part.reason : null, candidates }]

const targetsOf = (plan: ContextPlan, parts: EvidenceParts): EvidenceDraft["targets"] => {
  const brought = valueOf(parts.appeals, null)?.chosen.brought ?? []
  const [conversations, interactions] = [valueOf(parts.conversations, []), valueOf(parts.interactions, [])]
  return [
    ...plan.appealLists.flatMap(({ target }, list) => targetDraft(target, parts.appeals, brought[list] ?? 0)),
    ...targetDraft("previous_client_conversations", parts.conversations, conversations.length),
    ...targetDraft("recent_client_interactions", parts.interactions, interactions.length),
    ...targetDraft("relevant_client_memory", parts.memories, memoriesOf(parts).length)
  ]
}

const appealsOf = (
  plan: ContextPlan,
  part: PartResult<AppealEvidence> | null,
  citing: Citing
): EvidenceDraft["appeals"] => {
  if (part?._tag !== "Available") return []
  const { cite, urls } = citing
  const { chosen, matches, rows, snippets } = part.value
  return chosen.appeals
    .flatMap(({ appealId, lists }) => {
      const found = rows.get(appealId)
      return found === undefined ? [] : [{ found, lists }]
    })
    .map(({ found, lists }, place) => {
      const row = Struct.omit(found, [
        "customFields",
        "messages",
        "ofSubject",
        "operators",
        "priority",
        "tags"
      ])
      const targets = lists.flatMap((list) => plan.appealLists[list]?.target ?? [])
      const match = matches.get(row.appealId)
      return appealOf(
        cite(
          {
            ...row,
            ...labelsOf(found),
            rank: place + 1,
            relation: relationOf(plan, found, targets),
            score: match?.score ?? null,
            searchCoverage: searchCoverageOf(row.messageCount),
            targets
          },
          `${path}.appeals[${place}]`,
          {
            sourceType: "appeal",
            sourceId: String(row.appealId),
            appealId: row.appealId,
            occurredAt: row.createdAt,
            url: urls.appeal(row.appealType, row.appealId)
          }
        ),
        (snippets.get(row.appealId) ?? []).map((shown, index) =>
          snippet(found, shown, `${path}.appeals[${place}].snippets[${index}]`, citing)
        )
      )
    })
}

const operatorsOf = (rows: Iterable<AppealRow>): EvidenceDraft["operators"] => {
  const named = Array.from(rows, ({ operators }) => operators).flat()
  return [...new Map(named.map((one) => [one.id, one])).values()].toSorted((a, b) => a.id - b.id)
}

/** Priority, tags and custom fields that are set, as far as they fit. */
const labelsOf = ({ customFields, priority, tags }: AppealRow) => {
  const fields = Object.entries(customFields ?? {}).filter(([, value]) => value !== null && value !== "")
  const [shownFields, shownTags] = [firstLabels(fields), firstLabels(tags)]
  return {
    ...(priority === "normal" ? {} : { priority }),
    ...(shownTags.length === 0 ? {} : { tags: shownTags }),
    ...(shownFields.length === 0 ? {} : { customFields: Object.fromEntries(shownFields) }),
    ...(shownFields.length < fields.length || shownTags.length < tags.length
      ? { truncated: true as const }
      : {})
  }
}

/** The first items, up to APPEAL_LABELS_POINTS_MAX. */
const firstLabels = <A>(items: ReadonlyArray<A>): ReadonlyArray<A> => {
  let points = 0
  return items.filter((item) => (points += pointsOf(JSON.stringify(item))) <= APPEAL_LABELS_POINTS_MAX)
}

const snippet = (
  { appealId, appealType }: AppealRow,
  { cutAfter, cutBefore, highlights, message, score, text }: ShownSnippet,
  at: string,
  { cite, urls }: Citing
): Cited<SnippetJson> => {
  const { authorType, isNote, messageId, occurredAt, version } = message
  const cited = version === 1 ? String(messageId) : `${messageId}v${version}`
  const visibility = isNote ? { visibility: "internal" as const } : {}
  const shown = { authorType, highlights, messageId, occurredAt, score, text, ...visibility }
  return textCited(cite, shown, { cutBefore, cutAfter }, at, {
    ...(messageId === null
      ? { sourceType: "ticket", sourceId: String(appealId), url: urls.appeal(appealType, appealId) }
      : {
          sourceType: "appeal_message",
          sourceId: String(messageId),
          ...(version === 1 ? {} : { mark: cited }),
          url: urls.appealMessage(appealType, appealId, cited)
        }),
    appealId,
    occurredAt
  })
}

/** The relation of an appeal to the entity (contract §3.1). */
const relationOf = (
  { scope }: ContextPlan,
  { ofSubject }: AppealRow,
  targets: ReadonlyArray<ContextTarget>
): Relation => {
  switch (scope.entity) {
    case "client":
      return targets.includes("previous_client_appeals") ? "previous_client_appeal" : "relevant_appeal"
    case "subject":
      return "subject_appeal"
    case "operator":
      return "recorded_participation"
    case "skill_group":
      return ofSubject ? "subject_coverage" : "member_participation"
  }
}
