// What is shown of the messages of the appeals of a pack: cut in slices, so that a full pack does not delay other requests.
import { Effect } from "effect"
import { type Snippet, withSnippets } from "../../search/text/Snippets.ts"
import type { ContextPlan } from "../read/ContextPlan.ts"
import type { AppealRow, MessageRow } from "../read/ContextStore.ts"
import type { Match } from "./AppealSearch.ts"

export interface ShownSnippet extends Snippet {
  readonly message: MessageRow
  /** Null for what was not found by the query. */
  readonly score: number | null
}

/** By appeal: what the query matched, best first; where it matched no message, or there is no query, the latest. */
export const appealSnippets = Effect.fnUntraced(function* (
  rows: Iterable<AppealRow>,
  matches: ReadonlyMap<number, Match>,
  { maxSnippetsPerAppeal, query }: Pick<ContextPlan, "maxSnippetsPerAppeal" | "query">
): Effect.fn.Return<ReadonlyMap<number, ReadonlyArray<ShownSnippet>>> {
  const shown = Array.from(rows).flatMap(({ appealId, messages }) =>
    shownMessages(messages, matches.get(appealId), maxSnippetsPerAppeal).map((one) => ({
      ...one,
      appealId,
      text: one.message.text
    }))
  )
  const found = new Map<number, Array<ShownSnippet>>()
  for (const [{ appealId, message, score }, snippet] of yield* withSnippets(
    query,
    shown,
    (one) => one.score !== null
  )) {
    const known = found.get(appealId)
    if (known === undefined) found.set(appealId, [{ ...snippet, message, score }])
    else known.push({ ...snippet, message, score })
  }
  return found
})

const shownMessages = (
  messages: ReadonlyArray<MessageRow>,
  match: Match | undefined,
  latest: number
): ReadonlyArray<{ readonly message: MessageRow; readonly score: number | null }> => {
  if (match === undefined || match.passages.length === 0) {
    return messages
      .toSorted((a, b) => b.sequence - a.sequence)
      .slice(0, latest)
      .map((message) => ({ message, score: null }))
  }
  const byId = new Map(messages.map((message) => [message.messageId, message]))
  return match.passages.flatMap(({ messageId, score }) => {
    const message = byId.get(messageId)
    return message === undefined ? [] : [{ message, score }]
  })
}
