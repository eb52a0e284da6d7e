// Both storages of files keep the laws: a folder, and a real S3-compatible server.
import { assert, it, layer } from "@effect/vitest"
import { FileStorage } from "@rapport/core/files/FileStorage.ts"
import { Effect, Layer, Stream } from "effect"
import { createHash, randomUUID } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { temporaryFileStorage } from "../testing/FileFixtures.ts"
import { temporaryFolder } from "../testing/PostgresFixtures.ts"
import { isS3Missing, runningS3 } from "../testing/RunningS3.ts"
import * as FileStorageFolder from "./FileStorageFolder.ts"
import * as FileStorageS3 from "./FileStorageS3.ts"
import { emptyUploads } from "./Spool.ts"

const MEBIBYTE = 1024 * 1024
const chunks = Array.from({ length: 40 }, (_, i) => new Uint8Array(64 * 1024).fill(i))
const whole = Buffer.concat(chunks)

const newPlace = () => ({ instanceId: 17, id: randomUUID() })

const readAll = (bytes: Stream.Stream<Uint8Array, unknown> | undefined) =>
  bytes === undefined
    ? Effect.undefined
    : Effect.map(Stream.runCollect(bytes), (all) => Buffer.concat([...all]))

const fileStorageLaws = (name: string, storage: Layer.Layer<FileStorage, unknown>): void =>
  layer(storage, { excludeTestServices: true })(name, (it) => {
    it.effect(`${name} stores a stream with its size and digest, and reads all of it or ranges`, () =>
      Effect.gen(function* () {
        const files = yield* FileStorage
        const place = newPlace()
        const measured = yield* files.put(place, Stream.fromIterable(chunks))
        assert.deepStrictEqual(measured, {
          bytes: whole.byteLength,
          sha256: createHash("sha256").update(whole).digest("hex")
        })
        assert.isAbove(measured.bytes, 2 * MEBIBYTE)
        const all = yield* readAll(yield* files.read(place, { first: 0, last: measured.bytes - 1 }))
        assert.isTrue(all?.equals(whole))
        const some = yield* readAll(yield* files.read(place, { first: 65_535, last: 65_537 }))
        assert.deepStrictEqual([...(some ?? [])], [0, 1, 1])
        // A reader that takes only a part leaves the storage usable.
        const bytes = yield* files.read(place, { first: 0, last: measured.bytes - 1 })
        if (bytes !== undefined) yield* Stream.runCollect(Stream.take(bytes, 1))
      })
    )

    it.effect(`${name} returns no bytes of another instance, and none after a removal`, () =>
      Effect.gen(function* () {
        const files = yield* FileStorage
        const place = newPlace()
        const range = { first: 0, last: 0 }
        assert.isUndefined(yield* files.read(place, range))
        yield* files.remove(place)
        yield* files.put(place, Stream.make(new Uint8Array([7])))
        assert.isUndefined(yield* files.read({ ...place, instanceId: 18 }, range))
        yield* files.remove(place)
        assert.isUndefined(yield* files.read(place, range))
      })
    )

    it.effect(`${name} stores nothing of a stream that fails`, () =>
      Effect.gen(function* () {
        const files = yield* FileStorage
        const place = newPlace()
        const broken = Stream.concat(Stream.fromIterable(chunks), Stream.fail("broken" as const))
        assert.strictEqual(yield* Effect.flip(files.put(place, broken)), "broken")
        assert.isUndefined(yield* files.read(place, { first: 0, last: 0 }))
        // The same file can be stored afterwards.
        yield* files.put(place, Stream.make(new Uint8Array([7])))
      })
    )
  })

fileStorageLaws("folder", temporaryFileStorage)

if (!isS3Missing)
  fileStorageLaws(
    "S3",
    Layer.unwrap(
      Effect.gen(function* () {
        const { settings } = yield* runningS3
        return FileStorageS3.layer(yield* temporaryFolder, settings)
      })
    )
  )

it.live("a folder keeps files private and no temporary file, and a start empties unfinished uploads", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const storage = FileStorageFolder.layer(folder)
    const place = { instanceId: 1, id: "01999e2c-5a3b-7c11-8d2e-3f4a5b6c7d8e" }
    yield* Effect.flatMap(FileStorage, (files) => files.put(place, Stream.make(new Uint8Array([7])))).pipe(
      Effect.provide(storage)
    )
    const file = path.join(folder, "files/1", place.id)
    assert.strictEqual(fs.statSync(file).mode & 0o777, 0o600)
    assert.strictEqual(fs.statSync(path.dirname(file)).mode & 0o777, 0o700)
    const uploads = path.join(folder, "uploads")
    assert.deepStrictEqual(fs.readdirSync(uploads), [])
    fs.writeFileSync(path.join(uploads, "left"), "x")
    yield* emptyUploads(folder)
    assert.deepStrictEqual(fs.readdirSync(uploads), [])
  })
)

it.live.skipIf(isS3Missing)(
  "S3 has one object for a file, and a refusal of S3 is an unavailable source",
  () =>
    Effect.gen(function* () {
      const { list, settings } = yield* runningS3
      const folder = yield* temporaryFolder
      const place = { instanceId: 1, id: "01999e2c-5a3b-7c11-8d2e-3f4a5b6c7d8e" }
      const put = Effect.flatMap(FileStorage, (files) => files.put(place, Stream.make(new Uint8Array([7]))))
      yield* Effect.provide(put, FileStorageS3.layer(folder, settings))
      assert.deepStrictEqual(yield* list, [`prefix/1/${place.id}`])
      const missing = { ...settings, url: settings.url.replace("/files/", "/nothing/") }
      const refused = yield* Effect.flip(Effect.provide(put, FileStorageS3.layer(folder, missing)))
      assert.deepStrictEqual(
        [refused._tag, refused.reason],
        ["SourceUnavailable", "file_storage_unavailable"]
      )
      assert.deepStrictEqual(fs.readdirSync(path.join(folder, "uploads")), [])
    })
)
