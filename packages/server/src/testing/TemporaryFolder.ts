// Folders of tests.
import { Effect } from "effect"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"

/** A folder that the user `nobody` may enter; deleted with the scope. */
export const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => {
    const made = fs.mkdtempSync(path.join(os.tmpdir(), "rapport-test-"))
    fs.chmodSync(made, 0o755)
    return made
  }),
  // A process that is ending may still write.
  (made) => Effect.sync(() => fs.rmSync(made, { recursive: true, force: true, maxRetries: 5 }))
)
