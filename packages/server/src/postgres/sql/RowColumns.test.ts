import { Time } from "@rapport/contract/values/Time.ts"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { column, readingOf, Text, shownOf, wireTime, WireTimeOrNull } from "./RowColumns.ts"

const shown = {
  messageId: Schema.String,
  closedAt: Schema.NullOr(Time),
  occurredAt: Time.annotate({ description: "when it was said" }),
  text: Schema.String,
  citationIds: Schema.Array(Schema.String)
}

describe("members of a pack from columns", () => {
  const row = shownOf("message", shown, { text: column("left(message.text, 10)", Text) })

  it("reads times as PostgreSQL writes them and shows them as the wire does", () => {
    const stored = { messageId: "1", occurredAt: "2026-10-05T10:00:00+00:00", text: "Добрий день" }
    assert.deepStrictEqual(
      Schema.decodeUnknownSync(row)({ ...stored, closedAt: "2026-10-05T10:00:00.5+00:00" }),
      {
        ...stored,
        occurredAt: "2026-10-05T10:00:00.000Z",
        closedAt: "2026-10-05T10:00:00.500Z"
      }
    )
    assert.isNull(Schema.decodeUnknownSync(row)({ ...stored, closedAt: null }).closedAt)
  })

  it("is read as its schema decodes it, in lists and where it may be null", () => {
    const parts = Schema.Struct({
      rows: Schema.NullOr(Schema.Array(row)),
      none: Schema.NullOr(Schema.Array(row)),
      sessions: Schema.Array(Schema.Struct({ messages: Schema.Array(row), since: WireTimeOrNull })),
      times: Schema.Array(Schema.String),
      values: Schema.Record(Schema.String, Schema.Unknown)
    })
    const at = "2026-10-05T10:00:00.5+00:00"
    const stored = { messageId: "1", closedAt: null, occurredAt: at, text: at }
    const text = JSON.stringify({
      rows: [stored, { ...stored, closedAt: at }],
      none: null,
      sessions: [
        { messages: [stored], since: at },
        { messages: [], since: null }
      ],
      times: [at],
      values: { at, row: stored }
    })
    const read = readingOf(parts)(JSON.parse(text))
    assert.deepStrictEqual(read, Schema.decodeUnknownSync(parts)(JSON.parse(text)))
    assert.strictEqual(read.rows?.[1]?.closedAt, "2026-10-05T10:00:00.500Z")
  })

  it("keeps the order of the pack, and leaves the citations to it", () => {
    assert.deepStrictEqual(Object.keys(row.fields), ["messageId", "closedAt", "occurredAt", "text"])
  })
})

it.each([
  ["2026-10-05T10:00:00+00:00", "2026-10-05T10:00:00.000Z"],
  ["2026-10-05T10:00:00.5+00:00", "2026-10-05T10:00:00.500Z"],
  ["2026-10-05T10:00:00.05+00:00", "2026-10-05T10:00:00.050Z"],
  ["2026-10-05T10:00:00.123+00:00", "2026-10-05T10:00:00.123Z"],
  ["2026-10-05T10:00:00.123999+00:00", "2026-10-05T10:00:00.123Z"],
  ["2026-10-05T12:00:00.5+02:00", "2026-10-05T10:00:00.500Z"]
])("times go out in UTC with milliseconds and Z (contract §1): %s", (stored, shown) => {
  assert.strictEqual(wireTime(stored), shown)
})
