// Times on the wire (contract §1 "Time").
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { isoOf, millisOf, RangeTime, rangeMillisOf, Time } from "./Time.ts"

describe("a time", () => {
  it.each([
    ["2026-10-05T10:00:00Z", "2026-10-05T10:00:00.000Z"],
    ["2026-10-05T10:00:00.5Z", "2026-10-05T10:00:00.500Z"],
    ["2026-10-05T10:00:00.123456789Z", "2026-10-05T10:00:00.123Z"],
    ["2026-10-05T10:00:00+02:00", "2026-10-05T08:00:00.000Z"],
    ["2026-10-05T10:00:00-0330", "2026-10-05T13:30:00.000Z"],
    ["2024-02-29T23:59:59Z", "2024-02-29T23:59:59.000Z"],
    ["0050-02-28T00:00:00Z", "0050-02-28T00:00:00.000Z"]
  ])("may be %s", (text, iso) => {
    const millis = Schema.decodeUnknownSync(Time)(text)
    assert.strictEqual(isoOf(millis), iso)
    assert.strictEqual(Schema.encodeSync(Time)(millis), iso)
  })

  it.each([
    "",
    "yesterday",
    "2026-01-01",
    "2026-01-01T10:00:00",
    "2026-13-01T00:00:00Z",
    "2026-02-30T00:00:00Z",
    "2025-02-29T00:00:00Z",
    "2026-04-31T00:00:00Z",
    "2026-01-01T25:00:00Z",
    "2026-01-01T24:00:00Z",
    "2026-01-01T10:00:60Z",
    "2026-01-01T10:00:00+25:00",
    "2026-01-01 10:00:00Z",
    " 2026-01-01T10:00:00Z",
    "+002026-01-01T10:00:00Z",
    "9999-12-31T23:59:59-01:00",
    "0001-01-01T00:00:00+01:00",
    "0000-01-01T00:00:00Z"
  ])("may not be %j", (text) => {
    assert.strictEqual(millisOf(text), undefined)
    assert.throws(() => Schema.decodeUnknownSync(Time)(text))
  })
})

describe("a time of a range or a query string", () => {
  it.each([
    ["2026-10-05", "2026-10-05T00:00:00.000Z"],
    ["2026-10-05T10:00:00", "2026-10-05T10:00:00.000Z"],
    ["2026-10-05T10:00:00.5", "2026-10-05T10:00:00.500Z"],
    ["2026-10-05T10:00:00Z", "2026-10-05T10:00:00.000Z"],
    ["2026-10-05T10:00:00+03:00", "2026-10-05T07:00:00.000Z"]
  ])("may be %s", (text, iso) => assert.strictEqual(isoOf(Schema.decodeUnknownSync(RangeTime)(text)), iso))
  it.each([
    "2026",
    "2026-10",
    "2026-02-30",
    "2026-10-05T",
    "2026-10-05T24:00:00",
    "2026-10-05T10:00:60",
    "10:00:00",
    "2026-10-05 "
  ])("may not be %j", (text) => assert.strictEqual(rangeMillisOf(text), undefined))
})
