// Short citations of sources with long ids: a3 is an action, s1 a session, s1.2 a message of it (contract §3.5).
import type { OpenedParts } from "../read/ContextStore.ts"
import type { EvidenceParts } from "../read/ReadSources.ts"
import { type PartResult, valueOf } from "../../failures/SourceUnavailable.ts"

/** Sources by their ids. */
interface MarkedSources {
  readonly actionIds: ReadonlyArray<string>
  readonly sessions: ReadonlyArray<{ readonly sessionId: string; readonly messageIds: ReadonlyArray<string> }>
}

/** Numbered by id in ascending order, so that a newer source does not change the marks of the others. */
export const marksFor = ({ actionIds, sessions }: MarkedSources) => {
  const actions = numberIds("a", actionIds)
  const bySession = Map.groupBy(sessions, ({ sessionId }) => sessionId)
  const marks = numberIds("s", [...bySession.keys()])
  const messages = new Map<string, string>()
  for (const [sessionId, parts] of bySession)
    for (const [id, mark] of numberIds(
      `${marks.get(sessionId)}.`,
      parts.flatMap(({ messageIds }) => messageIds)
    ))
      messages.set(id, mark)
  return {
    action: (id: string): string => actions.get(id) ?? id,
    session: (id: string): string => marks.get(id) ?? id,
    message: (id: string): string => messages.get(id) ?? id
  }
}
export type Marks = ReturnType<typeof marksFor>

const numberIds = (prefix: string, ids: ReadonlyArray<string>): ReadonlyMap<string, string> =>
  new Map([...new Set(ids)].toSorted().map((id, index) => [id, `${prefix}${index + 1}`]))

/** The marks of everything that was read. */
export const marksOf = (
  actions: PartResult<NonNullable<OpenedParts["actions"]>> | null,
  evidence: EvidenceParts
): Marks => {
  const interactions = valueOf(evidence.interactions, [])
  const memories = valueOf(evidence.memories, null)?.memories ?? []
  const named = [...interactions, ...memories].flatMap(({ id, kind, sessionId }) =>
    sessionId === null ? [] : [{ sessionId, messageIds: kind === "message" ? [id] : [] }]
  )
  return marksFor({
    actionIds: [
      ...(valueOf(actions, null)?.rows ?? []),
      ...[...interactions, ...memories].filter(({ kind }) => kind === "action")
    ].map(({ id }) => id),
    sessions: [
      ...named,
      ...valueOf(evidence.conversations, []).map(({ messages, sessionId }) => ({
        sessionId,
        messageIds: messages.map(({ messageId }) => messageId)
      }))
    ]
  })
}
