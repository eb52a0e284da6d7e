// The active copy of a shared index, polled: another process may build, publish or delete it.
import { Effect } from "effect"
import type { EvidenceCopy, makeCopies } from "./EvidenceCopies.ts"
import { OpenSearchFault } from "./OpenSearchFault.ts"

/** How often a process reads the active copy. */
const ACTIVE_POLL_MILLIS = 500
/** How long such a read may take. */
const ACTIVE_POLL_MILLIS_MAX = 2_000

/** The active copy as of the last read. */
export const makeActiveCopy = (copies: ReturnType<typeof makeCopies>) => {
  let copy: EvidenceCopy | undefined
  // Failed polls in a row.
  let failedPolls = 0
  let fault: OpenSearchFault | undefined
  const countFailedPoll = (error: OpenSearchFault) =>
    Effect.sync(() => {
      failedPolls++
      fault = error
    })
  const read = copies.read("active").pipe(
    Effect.tap((found) =>
      Effect.sync(() => {
        failedPolls = 0
        // A poll may return after a newer step of this process.
        if (found === undefined || copy?.index !== found.index || found.revision >= copy.revision)
          copy = found
      })
    ),
    Effect.tapError((error) => countFailedPoll(error))
  )
  const watch = read.pipe(
    Effect.timeoutOrElse({
      duration: ACTIVE_POLL_MILLIS_MAX,
      orElse: () =>
        countFailedPoll(new OpenSearchFault({ kind: "unavailable", status: 0, detail: "it does not answer" }))
    }),
    Effect.ignoreCause,
    Effect.andThen(Effect.sleep(ACTIVE_POLL_MILLIS)),
    Effect.forever
  )
  return {
    read,
    watch,
    copy: () => copy,
    set: (next: EvidenceCopy) => {
      copy = next
    },
    /** The fault of an unavailable engine; a single failed poll is ignored. */
    fault: () => (failedPolls > 1 ? fault : undefined)
  }
}
