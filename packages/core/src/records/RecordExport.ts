// Export of records (contract §9.2).
import { type Effect, Predicate } from "effect"
import type { SourceUnavailable } from "../failures/SourceUnavailable.ts"
import { sentBackJson } from "../json/SentBackJson.ts"
import { csvHeader, csvLine, memberCell } from "../lists/Csv.ts"
import { listLines } from "../lists/ListLines.ts"
import type { ListedRecord, ListRequest, ListRows } from "../lists/ListRequest.ts"
import type { StoredModel } from "./RecordStore.ts"

export const exportFormats = ["csv", "ndjson"] as const
export type ExportFormat = (typeof exportFormats)[number]

export const exportLines = (
  { fields }: Pick<StoredModel, "fields">,
  format: ExportFormat,
  request: ListRequest,
  page: (request: ListRequest) => Effect.Effect<ListRows, SourceUnavailable>
) => {
  const names = fields.map(({ name }) => name)
  const lineOf = (record: ListedRecord): string => {
    if (format === "ndjson") return `${sentBackJson(record)}\n`
    const values = Predicate.isReadonlyObject(record["values"]) ? record["values"] : {}
    return csvLine([
      memberCell(record["id"]),
      ...names.map((name) => memberCell(values[name])),
      ...["version", "createdAt", "updatedAt"].map((name) => memberCell(record[name]))
    ])
  }
  const header = format === "csv" ? csvHeader(["id", ...names, "version", "createdAt", "updatedAt"]) : ""
  return listLines({ header, lineOf }, request, page)
}
