// Port of the bytes of files. Rows of files are in FileStore.
import { Context, type Effect, type Stream } from "effect"
import type { SourceUnavailable } from "../failures/SourceUnavailable.ts"

/** The storage key of a file. */
export interface FilePlace {
  readonly instanceId: number
  readonly id: string
}

/** The size and the hash of stored bytes. */
export interface ContentDigest {
  readonly bytes: number
  readonly sha256: string
}

/** The first and last byte of a range. */
export interface ByteRange {
  readonly first: number
  readonly last: number
}

export class FileStorage extends Context.Service<
  FileStorage,
  {
    /** Stores all bytes or none, with flat memory. */
    readonly put: <E>(
      place: FilePlace,
      bytes: Stream.Stream<Uint8Array, E>
    ) => Effect.Effect<ContentDigest, E | SourceUnavailable>
    /** Opens the bytes; undefined if there are none. */
    readonly read: (
      place: FilePlace,
      range: ByteRange
    ) => Effect.Effect<Stream.Stream<Uint8Array, SourceUnavailable> | undefined, SourceUnavailable>
    /** Succeeds also if there are no bytes. */
    readonly remove: (place: FilePlace) => Effect.Effect<void, SourceUnavailable>
  }
>()("core/files/FileStorage") {}
