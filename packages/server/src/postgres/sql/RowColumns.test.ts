import { Time } from "@rapport/contract/values/Time.ts"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { column, Text, shownOf, wireTime } from "./RowColumns.ts"

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
])("times go out in UTC with milliseconds and Z (docs/contract.md §1): %s", (stored, shown) => {
  assert.strictEqual(wireTime(stored), shown)
})
