// A stored row as an export shows it: names and times as on the wire, empty columns and those of the service itself left out.
import { isoOf } from "@rapport/contract/values/Time.ts"
import { DateTime, Option } from "effect"

const own: ReadonlySet<string> = new Set(["instance_id", "fingerprint", "receipt", "state_written"])
const isTime = (column: string) =>
  column.endsWith("_at") || column.endsWith("At") || column === "waiting_since"

export const exportRecord = (row: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(row).flatMap(([column, value]) =>
      value === null || own.has(column)
        ? []
        : [
            [
              column.replaceAll(/_([a-z])/gu, (_, letter: string) => letter.toUpperCase()),
              exportedValue(column, value)
            ]
          ]
    )
  )

const exportedValue = (column: string, value: unknown): unknown =>
  isTime(column) && typeof value === "string"
    ? Option.match(DateTime.make(value), {
        onNone: () => value,
        onSome: (time) => isoOf(DateTime.toEpochMillis(time))
      })
    : value
