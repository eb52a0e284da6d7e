// Writes a stream into a temporary file and measures it: no storage takes bytes before they are complete.
import type { ContentDigest } from "@rapport/core/files/FileStorage.ts"
import { SourceUnavailable } from "@rapport/core/failures/SourceUnavailable.ts"
import { Effect, Stream } from "effect"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { makePrivateFolder, PRIVATE_FILE } from "../files/PrivateFiles.ts"

/** A failure of the disk or of the storage; a full disk has a reason of its own. */
export const storageFailure = (cause: unknown) =>
  new SourceUnavailable({
    source: "files",
    reason:
      cause instanceof Error && "code" in cause && cause.code === "ENOSPC"
        ? "storage_full"
        : "file_storage_unavailable",
    cause
  })

export const attempt = <A>(run: (signal: AbortSignal) => Promise<A>) =>
  Effect.tryPromise({ try: run, catch: storageFailure })

/** The folder of unfinished uploads. A start empties it, because they ended with their process. */
export const uploadsFolder = (dataDir: string) => path.join(dataDir, "uploads")

export const emptyUploads = (dataDir: string) =>
  Effect.sync(() => {
    const folder = uploadsFolder(dataDir)
    fs.rmSync(folder, { recursive: true, force: true })
    makePrivateFolder(folder)
  })

/** Runs `use` on the complete and synced temporary file, which is then deleted if it is still there. */
export const withSpooledFile = <E, E2>(
  folder: string,
  id: string,
  bytes: Stream.Stream<Uint8Array, E>,
  use: (file: string, measured: ContentDigest) => Effect.Effect<void, E2>
): Effect.Effect<ContentDigest, E | E2 | SourceUnavailable> => {
  const file = path.join(folder, id)
  const hash = createHash("sha256")
  let total = 0
  const written = Effect.acquireUseRelease(
    attempt(async () => {
      makePrivateFolder(folder)
      return await fs.promises.open(file, "wx", PRIVATE_FILE)
    }),
    (handle) =>
      Stream.runForEach(bytes, (chunk) => {
        hash.update(chunk)
        total += chunk.byteLength
        return attempt(() => handle.writeFile(chunk))
      }).pipe(Effect.andThen(attempt(() => handle.sync()))),
    (handle) => Effect.promise(() => handle.close())
  )
  return Effect.gen(function* () {
    yield* written
    const measured = { bytes: total, sha256: hash.digest("hex") }
    yield* use(file, measured)
    return measured
  }).pipe(Effect.ensuring(Effect.promise(() => fs.promises.rm(file, { force: true }))))
}
