// Uploads and downloads of files (contract §7, "Files").
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { InboundConnector } from "@rapport/contract/delivery/InboundApi.ts"
import { NotFound, PayloadTooLarge } from "@rapport/contract/Errors.ts"
import { FILE_BYTES_MAX } from "@rapport/contract/Limits.ts"
import { Clock, Context, Effect, Layer, Stream } from "effect"
import { SecureRandom } from "effect/crypto"
import { Permissions } from "../access/Permissions.ts"
import { WriteCapacity } from "../capacity/WriteCapacity.ts"
import { orUnavailable, SourceUnavailable } from "../failures/SourceUnavailable.ts"
import { invalidRequest } from "../receipts/Writes.ts"
import { FileLinks } from "./FileLinks.ts"
import { type ByteRange, type FilePlace, FileStorage } from "./FileStorage.ts"
import { FileStore, type NewFile, type Uploader } from "./FileStore.ts"

type Bytes<E> = Stream.Stream<Uint8Array, E>

export class Files extends Context.Service<Files>()("core/files/Files", {
  make: Effect.gen(function* () {
    const store = yield* FileStore
    const storage = yield* FileStorage
    const links = yield* FileLinks
    const capacity = yield* WriteCapacity
    const random = yield* SecureRandom.SecureRandom
    const storeFile = Effect.fnUntraced(function* <E>(
      uploader: Uploader,
      named: Omit<NewFile, "id">,
      bytes: Bytes<E>
    ) {
      const file = { id: yield* random.uuidV7(), ...named }
      yield* store.begin(uploader, file)
      const measured = yield* storage.put({ instanceId: uploader.instanceId, id: file.id }, limitBytes(bytes))
      if (measured.bytes === 0) return yield* invalidRequest([{ path: "", message: "must not be empty" }])
      yield* store.finish(uploader, file, measured)
      return { ...file, ...measured }
    })
    return {
      upload: Effect.fn("Files.upload")(function* <E>(
        session: AuthorizedSession,
        named: Omit<NewFile, "id">,
        bytes: Bytes<E>
      ) {
        yield* Permissions.requireAny(session, [
          "chats.manage",
          "tickets.manage",
          "context.write",
          "imports.write"
        ])
        yield* capacity.pass(session.instanceId, "file.create")
        return yield* storeFile(session, named, bytes)
      }, orUnavailable),

      /** Stores a file that a connector has received. */
      receive: <E>(connector: InboundConnector, named: Omit<NewFile, "id">, bytes: Bytes<E>) =>
        orUnavailable(storeFile(connector, named, bytes)),

      find: Effect.fn("Files.find")(function* (session: AuthorizedSession, id: string) {
        yield* Permissions.requireAny(session, ["chats.read", "tickets.read", "context.read"])
        return (yield* store.find(session, id)) ?? (yield* new NotFound())
      }, orUnavailable),

      /** The file of a link; undefined if the link is not valid. */
      open: Effect.fn("Files.open")(function* (link: string) {
        const place = links.open(link, yield* Clock.currentTimeMillis)
        const file = place && (yield* store.findLinked(place))
        return place && file && { place, file }
      }, orUnavailable),

      /** The bytes of a file that was found. */
      read: Effect.fn("Files.read")(function* (place: FilePlace, range: ByteRange) {
        const bytes = yield* storage.read(place, range)
        if (bytes !== undefined) return bytes
        yield* Effect.logError(`the storage has no bytes of file ${place.id} of instance ${place.instanceId}`)
        return yield* new SourceUnavailable({ source: "files", reason: "file_storage_unavailable" })
      }, orUnavailable)
    }
  })
}) {
  static readonly layer = Layer.effect(Files, Files.make)
}

/** Fails as soon as the bytes are above the limit. */
const limitBytes = <E>(bytes: Bytes<E>): Bytes<E | PayloadTooLarge> =>
  Stream.mapAccumEffect(
    bytes,
    () => 0,
    (total, chunk) => {
      const sum = total + chunk.byteLength
      return sum > FILE_BYTES_MAX
        ? Effect.fail(new PayloadTooLarge({ detail: `the body is above ${FILE_BYTES_MAX} bytes` }))
        : Effect.succeed([sum, [chunk]] as const)
    }
  )
