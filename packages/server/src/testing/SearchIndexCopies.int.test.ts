// A multiplied index answers as one that was built of so many appeals.
import { assert, layer } from "@effect/vitest"
import { appeal, ask, found, removal, upsert, write } from "@rapport/core/testing/EvidenceFixtures.ts"
import { Effect, Layer } from "effect"
import * as path from "node:path"
import { EvidenceIndexSqlite } from "../sqlite/EvidenceIndexSqlite.ts"
import { temporaryFolder } from "./PostgresFixtures.ts"
import { multiplyIndex } from "./SearchIndexCopies.ts"

const within = (index: string) => Effect.provide(EvidenceIndexSqlite.layer(index), { local: true })
const live = { excludeTestServices: true, timeout: 60_000 } as const
const apart = { appeals: 100, clients: 50, messages: 1_000_000, millis: 60_000 }
const own = [
  appeal({ documentId: 1, texts: ["не прийшов рахунок", "надіслали ще раз"], operatorIds: [1, 7] }),
  appeal({ documentId: 2, texts: ["возврат денег на карту"], clientId: 2 }),
  appeal({ documentId: 3, texts: ["refund for the wrong invoice"], subjectId: 4 })
]
/** What the copies are. */
const copies = [1, 2].flatMap((copy) =>
  own.map((one) => ({
    ...one,
    documentId: one.documentId + copy * apart.appeals,
    clientId: one.clientId + copy * apart.clients,
    createdAt: one.createdAt + copy * apart.millis,
    texts: one.texts?.map((text) => ({ ...text, id: text.id + copy * apart.messages })) ?? null
  }))
)
const subject = { _tag: "Subject", subjectId: 1 } as const
const asked = [
  { scope: subject, query: "рахунок" },
  { scope: subject, query: "рахунку" },
  { scope: subject, query: "возврат" },
  { scope: subject, query: "gjdthytyyz" },
  { scope: subject, query: null },
  { scope: { _tag: "Subject", subjectId: 4 }, query: "invoices" },
  { scope: { _tag: "Participant", userId: 7 }, query: "рахунок" },
  { scope: { _tag: "Client", clientId: 1 + apart.clients }, query: "invoice" },
  { scope: { _tag: "Client", clientId: 2 + 2 * apart.clients }, query: null }
] as const
const answers = Effect.forEach(asked, (one) => ask(1, { ...one, limit: 20 }))

layer(Layer.empty, live)("a multiplied index", (it) => {
  it.effect("holds what one holds that was built of the same appeals", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const multiplied = path.join(folder, "multiplied")
      const built = path.join(folder, "built")
      yield* write(1, own.map(upsert)).pipe(within(multiplied))
      multiplyIndex(multiplied, 3, apart)
      const expected = yield* Effect.andThen(write(1, [...own, ...copies].map(upsert)), answers).pipe(
        within(built)
      )
      assert.isTrue(expected.every(({ candidates }, at) => candidates.length > 0 || at === 3))
      assert.deepStrictEqual(yield* answers.pipe(within(multiplied)), expected)
      // It can be written on as any other.
      const written = Effect.andThen(write(1, [removal(101, 9)]), found(1, asked[0]))
      assert.deepStrictEqual(yield* written.pipe(within(multiplied)), yield* written.pipe(within(built)))
    })
  )
})
