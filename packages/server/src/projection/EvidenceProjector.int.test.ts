import { AppealIndex, AppealSource } from "@rapport/core/appeals/AppealIndex.ts"
import { assert, layer } from "@effect/vitest"
import { ReadinessStore } from "@rapport/core/readiness/ReadinessStore.ts"
import { EVIDENCE_FORMAT } from "@rapport/core/search/EvidenceFormat.ts"
import { DocumentRefused } from "@rapport/core/search/IndexCheckpoint.ts"
import { Effect, Fiber, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as fs from "node:fs"
import { randomUUID } from "node:crypto"
import * as path from "node:path"
import { DatabaseSync } from "node:sqlite"
import type { Worker } from "node:worker_threads"
import * as AppealSourcePostgres from "../postgres/appeals/AppealSourcePostgres.ts"
import { indexStatuses } from "../postgres/outbox/IndexOperations.ts"
import { projectionKinds } from "../postgres/outbox/ProjectionKinds.ts"
import { outboxOf, sweepOutbox } from "../postgres/outbox/OutboxPostgres.ts"
import * as OutboxSignalPostgres from "../postgres/outbox/OutboxSignalPostgres.ts"
import * as ReadinessStorePostgres from "../postgres/readiness/ReadinessStorePostgres.ts"
import { EvidenceIndexSqlite } from "../sqlite/EvidenceIndexSqlite.ts"
import { openTransaction } from "../testing/LockWaits.ts"
import { PostgresFixtures, temporaryFolder } from "../testing/PostgresFixtures.ts"
import {
  addAppeal,
  addLongAppeal,
  addMessage,
  caughtUp,
  eventually,
  followingAnywhere,
  newWorld,
  search,
  type World
} from "../testing/ProjectionFixtures.ts"
import { embeddedSearchLayer } from "../testing/SearchLayers.ts"
import { EvidenceProjector, evidenceProjectorLayer } from "./ProjectorLayers.ts"

const live = { excludeTestServices: true } as const
const none: ReadonlyArray<number> = []
const withIndex =
  <I, E, R>(index: Layer.Layer<I, E, R>) =>
  <A, E2, R2>(effect: Effect.Effect<A, E2, R2>) =>
    Effect.provide(effect, index, { local: true })
/** The search finds an appeal by the word "refund", also after errors while the index is rebuilt. */
const refundFound = (world: World, id: number) =>
  eventually(
    Effect.orElseSucceed(search(world, "refund"), () => none),
    (found) => found.includes(id)
  )

const decodeQuarantine = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ key: Schema.Finite, tries: Schema.Int, reason: Schema.String }))
)
const readQuarantine = Effect.fnUntraced(function* ({ instanceId }: World) {
  const sql = yield* SqlClient.SqlClient
  return yield* decodeQuarantine(
    yield* sql`select key::float8 as key, tries, reason from quarantine where instance_id = ${instanceId} and kind = 'evidence'`
  )
})

const formatOf = (file: DatabaseSync) => Number(file.prepare("pragma user_version").get()?.["user_version"])

layer(PostgresFixtures.migrated, live)("EvidenceProjector", (it) => {
  it.effect("the evidence projector indexes existing appeals, and then each commit", () =>
    Effect.gen(function* () {
      const world = yield* newWorld
      const first = yield* addAppeal(world, ["Where is my refund?", "On its way"])
      const long = yield* addLongAppeal(world)
      yield* withIndex(followingAnywhere)(
        Effect.gen(function* () {
          yield* caughtUp
          assert.deepStrictEqual(yield* search(world, null), [long, first])
          assert.deepStrictEqual(yield* search(world, "refund"), [first])
          const second = yield* addAppeal(world, ["Parcel lost"])
          yield* eventually(search(world, "parcel"), (found) => found.includes(second))
          yield* addMessage(world, first, "and the parcel too")
          yield* eventually(search(world, "parcel"), (found) => found.includes(first))
          const other = yield* newWorld
          const third = yield* addAppeal(other, ["parcel"])
          yield* caughtUp
          assert.deepStrictEqual(yield* search(other, "parcel"), [third])
          const readiness = yield* (yield* EvidenceProjector).readiness(world.instanceId)
          assert.deepStrictEqual(readiness, { ready: true, lagMillis: 0, quarantined: 0 })
        })
      )
    })
  )

  it.effect("the evidence projector reports the lag while an open transaction delays a change", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const world = yield* newWorld
      yield* withIndex(followingAnywhere)(
        Effect.gen(function* () {
          yield* caughtUp
          const projector = yield* EvidenceProjector
          const commit = yield* openTransaction(sql`insert into instances (name) values ('open')`)
          const id = yield* addAppeal(world, ["overtaken"])
          yield* eventually(projector.readiness(world.instanceId), ({ lagMillis }) => lagMillis > 100)
          yield* commit
          yield* eventually(search(world, "overtaken"), (found) => found.includes(id))
          yield* eventually(projector.readiness(world.instanceId), ({ lagMillis }) => lagMillis === 0)
          yield* eventually(
            Effect.flatMap(AppealIndex, (index) => index.status(world.instanceId)),
            ({ lagMillis }) => lagMillis === 0
          )
        })
      )
    })
  )

  it.effect("the evidence projector rebuilds an index that was deleted, damaged or of another format", () =>
    Effect.gen(function* () {
      const world = yield* newWorld
      const folder = yield* temporaryFolder
      const index = path.join(folder, "index")
      const id = yield* addAppeal(
        world,
        Array.from({ length: 300 }, (_, at) => `refund number ${at}`)
      )
      const isFound = refundFound(world, id)
      const files = () => fs.readdirSync(index).filter((name) => name.endsWith(".sqlite"))
      yield* withIndex(embeddedSearchLayer(folder))(
        Effect.gen(function* () {
          yield* caughtUp
          fs.rmSync(index, { recursive: true, force: true })
          yield* eventually(
            Effect.sync(() => fs.existsSync(index)),
            (there) => there
          )
          yield* isFound
          const later = yield* addAppeal(world, ["parcel"])
          yield* eventually(search(world, "parcel"), (found) => found.includes(later))
        })
      )
      for (const name of files())
        fs.writeFileSync(path.join(index, name), "not a database at all".repeat(1_000))
      yield* withIndex(embeddedSearchLayer(folder))(isFound)
      const file = path.join(index, files()[0] ?? "")
      const bytes = fs.readFileSync(file)
      bytes.fill(0xa5, 4_096 * 3)
      fs.writeFileSync(file, bytes)
      yield* withIndex(embeddedSearchLayer(folder))(isFound)
      fs.writeFileSync(path.join(index, "evidence-99.sqlite"), "")
      yield* withIndex(embeddedSearchLayer(folder))(isFound)
    })
  )

  it.effect("the evidence projector loses nothing when its thread dies repeatedly", () =>
    Effect.gen(function* () {
      const world = yield* newWorld
      const folder = yield* temporaryFolder
      const workers: Array<Worker> = []
      yield* withIndex(embeddedSearchLayer(folder, (worker) => void workers.push(worker)))(
        Effect.gen(function* () {
          const ids: Array<number> = []
          for (let round = 0; round < 3; round++) {
            const begun = workers.length
            for (let i = 0; i < 5; i++)
              ids.push(
                yield* addAppeal(
                  world,
                  Array.from({ length: 50 }, () => "refund please")
                )
              )
            yield* Effect.promise(async () => workers.at(-1)?.terminate())
            yield* eventually(
              Effect.sync(() => workers.length),
              (count) => count > begun
            )
          }
          yield* caughtUp
          assert.sameMembers(yield* search(world, "refund"), ids)
          assert.sameMembers(yield* search(world, null), ids)
        })
      )
    })
  )

  it.effect("the evidence projector keeps an index in each of two processes", () =>
    Effect.gen(function* () {
      const world = yield* newWorld
      const [one, two] = [
        yield* Layer.build(followingAnywhere),
        yield* Layer.build(Layer.fresh(followingAnywhere))
      ]
      const both = [one, two].map((context) => Effect.provideContext(search(world, "refund"), context))
      const ids: Array<number> = []
      for (let i = 0; i < 50; i++) ids.push(yield* addAppeal(world, ["refund"]))
      for (const search of both) {
        yield* eventually(
          Effect.orElseSucceed(search, () => none),
          (found) => found.length === 20
        )
        assert.isTrue((yield* search).every((id) => ids.includes(id)))
      }
    })
  )
})

/** Appeals that cannot be read: refused as the port says, or by a bug; and how often each was tried on its own. */
interface Poison {
  readonly ids: Set<number>
  readonly dies: boolean
  reads: number
}

const poisonedSource = (poison: Poison) =>
  Layer.effect(
    AppealSource,
    Effect.map(AppealSource, (source) => ({
      ...source,
      read: (instanceId: number, ids: ReadonlyArray<number>) => {
        return Effect.flatMap(source.read(instanceId, ids), (changes) => {
          const [key] = changes.flatMap((one) =>
            one._tag === "Upsert" && poison.ids.has(one.document.documentId) ? [one.document.documentId] : []
          )
          if (key === undefined) return Effect.succeed(changes)
          if (ids.length === 1) poison.reads++
          return poison.dies
            ? Effect.die(new Error("a bug"))
            : Effect.fail(new DocumentRefused({ key, reason: "it is poison" }))
        })
      }
    }))
  ).pipe(Layer.provide(AppealSourcePostgres.layer))

const followingPoison = (poison: Poison) =>
  Layer.unwrap(
    Effect.map(temporaryFolder, (folder) =>
      evidenceProjectorLayer(false).pipe(
        Layer.provideMerge(EvidenceIndexSqlite.layer(path.join(folder, "index"))),
        Layer.provide(poisonedSource(poison)),
        Layer.provide(OutboxSignalPostgres.layer)
      )
    )
  )

layer(PostgresFixtures.migrated, live)("EvidenceProjector and poison", (it) => {
  for (const dies of [false, true]) {
    it.effect(
      `the evidence projector quarantines an appeal after INDEX_TRIES_MAX tries and indexes the others (${dies ? "defect" : "refused"})`,
      () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const world = yield* newWorld
          const before = yield* addAppeal(world, ["refund"])
          const poisoned = yield* addAppeal(world, ["refund"])
          const poison = { ids: new Set([poisoned]), dies, reads: 0 }
          const after = yield* addAppeal(world, ["refund"])
          yield* withIndex(followingPoison(poison))(
            Effect.gen(function* () {
              const projector = yield* EvidenceProjector
              yield* eventually(readQuarantine(world), (rows) => rows.length === 1)
              yield* caughtUp
              assert.sameMembers(yield* search(world, "refund"), [before, after])
              assert.deepStrictEqual(yield* search(world, null), [after, before])
              assert.deepStrictEqual(
                (yield* readQuarantine(world)).map(({ key, tries }) => [key, tries]),
                [[poisoned, 5]]
              )
              assert.strictEqual(poison.reads, 5)
              const { lagMillis, quarantined: count } = yield* projector.readiness(world.instanceId)
              assert.deepStrictEqual([lagMillis, count], [0, 1])
              // Never indexed until released, whatever is written to it; then it is.
              poison.ids.clear()
              yield* addMessage(world, poisoned, "parcel")
              yield* caughtUp
              assert.deepStrictEqual(yield* search(world, "parcel"), [])
              yield* sql`delete from quarantine where instance_id = ${world.instanceId} and key = ${poisoned}`
              yield* caughtUp
              assert.deepStrictEqual(yield* search(world, "parcel"), [poisoned])
            })
          )
        })
    )
  }

  it.effect(
    "the evidence projector quarantines a whole batch of refused appeals and indexes other instances",
    () =>
      Effect.gen(function* () {
        const world = yield* newWorld
        const refused = yield* Effect.forEach([1, 2, 3, 4, 5], () => addAppeal(world, ["refund"]))
        const other = yield* newWorld
        const healthy = yield* addAppeal(other, ["refund"])
        yield* withIndex(followingPoison({ ids: new Set(refused), dies: false, reads: 0 }))(
          Effect.gen(function* () {
            yield* eventually(readQuarantine(world), (rows) => rows.length === refused.length)
            yield* caughtUp
            assert.deepStrictEqual(yield* search(world, null), [])
            assert.deepStrictEqual(yield* search(other, "refund"), [healthy])
          })
        )
      })
  )

  it.effect("the evidence projector quarantines nothing while the index refuses hundreds of appeals", () =>
    Effect.gen(function* () {
      const world = yield* newWorld
      const refused: Array<number> = []
      while (refused.length < 201) refused.push(yield* addAppeal(world, ["refund"]))
      const poison: Poison = { ids: new Set(refused), dies: false, reads: 0 }
      yield* withIndex(followingPoison(poison))(
        Effect.gen(function* () {
          // More than INDEX_TRIES_MAX tries of each.
          yield* eventually(
            Effect.sync(() => poison.reads),
            (reads) => reads > 5 * refused.length
          )
          poison.ids.clear()
          yield* caughtUp
          assert.deepStrictEqual(yield* readQuarantine(world), [])
          assert.lengthOf(yield* search(world, "refund"), 20)
        })
      )
    })
  )
})

layer(PostgresFixtures.migrated, live)("EvidenceProjector and rebuilds", (it) => {
  it.effect("the evidence projector uses an older format until the new index has caught up", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const folder = yield* temporaryFolder
      const index = path.join(folder, "index")
      const inFile = <A>(name: string, readOnly: boolean, use: (file: DatabaseSync) => A): A => {
        const file = new DatabaseSync(path.join(index, name), { readOnly })
        try {
          return use(file)
        } finally {
          file.close()
        }
      }
      // A file may be deleted after the folder was listed; then the check is repeated.
      const formats = Effect.try({
        try: () =>
          fs
            .readdirSync(index)
            .filter((name) => name.endsWith(".sqlite"))
            .toSorted()
            .map((name) => inFile(name, true, formatOf)),
        catch: (cause) => new Error(String(cause))
      })
      const world = yield* newWorld
      const invoice = yield* addAppeal(world, ["рахунок за інтернет"])
      const parcel = yield* addAppeal(world, ["a parcel"])
      const following = withIndex(embeddedSearchLayer(folder))
      yield* following(caughtUp)
      inFile("evidence-1.sqlite", false, (file) =>
        file.exec("update passage set text = replace(text, 'parcel', 'package'); pragma user_version = 7")
      )
      // The projector indexes nothing that is committed after this open write.
      const commit = yield* openTransaction(
        Effect.andThen(
          sql`set local idle_in_transaction_session_timeout = 0`,
          sql`insert into instances (name) values ('open')`
        )
      )
      const refund = yield* addAppeal(world, ["a refund"])

      // The old index lists the parcel under a word that its text does not have, as after a change of the rules of words.
      const both = Effect.all([search(world, "рахунки"), search(world, "parcel")])
      const isOld = eventually(both, (found) => String(found) === String([[invoice], []]))
      const isBuilding = Effect.gen(function* () {
        yield* isOld
        yield* eventually(formats, (found) => String(found) === String([7, EVIDENCE_FORMAT]))
        const reported = Effect.map(indexStatuses, (found) =>
          found
            .filter((one) => one.kind === projectionKinds.evidence && one.instanceId === world.instanceId)
            .map((one) => one.state)
        )
        yield* eventually(reported, (states) => String(states) === "building")
        yield* isOld
        const readiness = yield* (yield* EvidenceProjector).readiness(world.instanceId)
        assert.isTrue(readiness.ready)
      })
      yield* following(isBuilding)
      // No search fails, from the restart of the rebuild until the new index answers.
      yield* following(
        Effect.gen(function* () {
          yield* isBuilding
          const searching = yield* Effect.forkChild(
            Effect.forever(
              Effect.tap(search(world, null), (found) => Effect.sync(() => assert.include(found, parcel)))
            )
          )
          yield* commit
          yield* eventually(search(world, "parcel"), (found) => found.includes(parcel))
          yield* caughtUp
          assert.deepStrictEqual(yield* search(world, "refund"), [refund])
          yield* eventually(formats, (found) => String(found) === String([EVIDENCE_FORMAT]))
          const exit = searching.pollUnsafe()
          assert.isUndefined(exit, exit === undefined ? "" : String(exit))
          yield* Fiber.interrupt(searching)
        })
      )
    })
  )

  it.effect("the evidence projector scans again when unread outbox entries were deleted", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const world = yield* newWorld
      const folder = yield* temporaryFolder
      yield* withIndex(embeddedSearchLayer(folder))(caughtUp)
      const id = yield* addAppeal(world, ["refund"])
      yield* sql`update outbox set created_at = now() - interval '25 hours'`
      assert.isAbove(yield* sweepOutbox, 0)
      assert.strictEqual(yield* sweepOutbox, 0)
      yield* withIndex(embeddedSearchLayer(folder))(
        Effect.gen(function* () {
          yield* caughtUp
          assert.deepStrictEqual(yield* search(world, "refund"), [id])
        })
      )
    })
  )

  it.effect("the evidence projector reports the status of each running process", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const world = yield* newWorld
      yield* addAppeal(world, ["refund"])
      const rows = sql`select state, waiting::int4 as waiting, built::int4 as built, total::int4 as total
        from projection_statuses where instance_id = ${world.instanceId} and kind = 'evidence' and engine = 'sqlite'`
      yield* withIndex(followingAnywhere)(
        Effect.gen(function* () {
          yield* caughtUp
          yield* eventually(rows, ([row]) => row?.["state"] === "ready")
          assert.deepInclude((yield* rows)[0], { state: "ready", waiting: 0, built: 1, total: 1 })
        })
      )
      assert.deepStrictEqual(yield* rows, [])
    })
  )

  it.effect("an instance that is 90 days behind is reported in milliseconds", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { instanceId } = yield* newWorld
      const behind = 90 * 86_400_000
      yield* sql`insert into outbox (instance_id, kind, key, created_at)
        values (${instanceId}, 'evidence', 1, now() - interval '90 days')`
      const { oldestOutboxEntryMillis } = yield* (yield* ReadinessStore).find(instanceId)
      assert.isAtLeast(oldestOutboxEntryMillis, behind)
      const outbox = yield* outboxOf("evidence")
      const process = randomUUID()
      const position = { xid: "1", id: "1" }
      yield* outbox.reportStatus(process, "sqlite", [
        { instanceId, state: "ready", position, built: 1, total: 1, lagMillis: behind }
      ])
      assert.deepStrictEqual(
        yield* sql`select lag_millis::float8 as lag from projection_statuses where instance_id = ${instanceId}`,
        [{ lag: behind }]
      )
      yield* outbox.removeStatus(process)
    }).pipe(Effect.provide(ReadinessStorePostgres.layer))
  )
})
