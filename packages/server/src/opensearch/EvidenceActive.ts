// The copy that answers searches, watched: another process may build, publish or delete it.
import { Effect } from "effect"
import type { EvidenceCopy, makeCopies } from "./EvidenceCopies.ts"
import { OpenSearchFault } from "./OpenSearchFault.ts"

/** How often a process checks the progress of an index that another process may write. */
const SHARED_INDEX_SEEN_MILLIS = 500
/** How long such a check may take. */
const SHARED_INDEX_SEEN_MILLIS_MAX = 2_000

/** The active copy, as this process has last read it. */
export const makeActive = (copies: ReturnType<typeof makeCopies>) => {
  let copy: EvidenceCopy | undefined
  // Polls in a row that found no engine.
  let unseen = 0
  let fault: OpenSearchFault | undefined
  const unanswered = (error: OpenSearchFault) =>
    Effect.sync(() => {
      unseen++
      fault = error
    })
  const read = copies.read("active").pipe(
    Effect.tap((found) =>
      Effect.sync(() => {
        unseen = 0
        // A poll may overlap a newer step of this process.
        if (found === undefined || copy?.index !== found.index || found.revision >= copy.revision)
          copy = found
      })
    ),
    Effect.tapError((error) => unanswered(error))
  )
  const watch = read.pipe(
    Effect.timeoutOrElse({
      duration: SHARED_INDEX_SEEN_MILLIS_MAX,
      orElse: () => unanswered(new OpenSearchFault({ kind: "away", status: 0, said: "it does not answer" }))
    }),
    Effect.ignoreCause,
    Effect.andThen(Effect.sleep(SHARED_INDEX_SEEN_MILLIS)),
    Effect.forever
  )
  return {
    read,
    watch,
    copy: () => copy,
    set: (next: EvidenceCopy) => {
      copy = next
    },
    /** Of an engine that does not answer: once may happen. */
    fault: () => (unseen > 1 ? fault : undefined)
  }
}
