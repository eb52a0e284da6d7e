import { assert, it } from "@effect/vitest"
import { facetsOfClient, type IndexedDocument } from "@rapport/core/search/DocumentProjection.ts"
import { Effect, Schema } from "effect"
import { OPENSEARCH_BULK_BYTES_MAX, writeBulk } from "./EvidenceBulk.ts"
import { indexedChange, OPENSEARCH_SPELLED_BYTES_MAX } from "./EvidenceFields.ts"
import { OpenSearch } from "./OpenSearch.ts"

const document = (texts: ReadonlyArray<string>): IndexedDocument => ({
  documentId: 1,
  revision: 1,
  ...facetsOfClient(1),
  createdAt: 0,
  heading: null,
  texts: texts.map((text, at) => ({ id: at + 1, speaker: null, text }))
})

const isSpelled = (texts: ReadonlyArray<string>): boolean =>
  indexedChange(1, { _tag: "Upsert", document: document(texts) }).source.includes('"wholeSpelled"')

/** The bytes of each request that a bulk write makes. */
const requests = (sources: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const sent: Array<number> = []
    const openSearch = OpenSearch.of({
      call: (schema, { lines = "" }) => {
        sent.push(Buffer.byteLength(lines))
        const items = lines
          .trimEnd()
          .split("\n")
          .filter((_, at) => at % 2 === 0)
          .map(() => ({ index: { status: 200 } }))
        return Effect.orDie(Schema.decodeUnknownEffect(schema)({ items }))
      }
    })
    const changes = sources.map((source, at) => ({ id: `1-${at}`, documentId: at, revision: 1, source }))
    yield* writeBulk(openSearch, "evidence", 1, changes)
    return sent
  })

// The bounds are bytes, and Cyrillic takes two of them a letter.

it("the size limits of documents for OpenSearch hold for Cyrillic as for Latin words", () => {
  // Marks between words, so that finding the words costs nothing.
  const messages = Math.floor(OPENSEARCH_SPELLED_BYTES_MAX / 60_100)
  const messagesOf = (mark: string) => Array.from({ length: messages }, () => `parcel ${mark.repeat(60_000)}`)
  assert.isTrue(isSpelled(messagesOf("-")))
  assert.isFalse(isSpelled(messagesOf("«")))
})

it.effect("the size limits of documents for OpenSearch hold for a bulk of Cyrillic documents", () =>
  Effect.gen(function* () {
    const sources = Array.from({ length: 9 }, () => `{"text":"${"ї".repeat(1024 * 1024)}"}`)
    const sent = yield* requests(sources)
    assert.isAbove(sent.length, 1)
    for (const bytes of sent) assert.isAtMost(bytes, OPENSEARCH_BULK_BYTES_MAX)
  })
)
