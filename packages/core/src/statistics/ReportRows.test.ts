// The lines of a report as a file, which are made page by page (contract §9.3, §12).
import { expect, it } from "@effect/vitest"
import { CSV_PAGE_ROWS } from "../lists/Csv.ts"
import { dialogueColumns, reportLines } from "./ReportRows.ts"
import type { ReportRequest } from "./ReportRequest.ts"
import type { ReportRow } from "./StatisticsStore.ts"

const request: ReportRequest = {
  range: { from: 0, to: 3_600_000 },
  kind: "chat",
  timezone: "UTC",
  members: ["channel"],
  grouped: true,
  buckets: [0],
  filters: [],
  format: "csv"
}
const metrics = {
  count: 2,
  closed: 1,
  open: 1,
  messages: 7,
  tfr: { avg: 1.5, p50: 1, p90: 2 },
  ttc: { avg: null, p50: null, p90: null },
  outgoing: 1,
  reopenings: 2
}

it("a report file has a header and a line for each row, and null is an empty cell", () => {
  const rows = [{ key: { channel: "=web", bucket: 0 }, metrics }]
  expect([...reportLines(request, dialogueColumns, rows)].join("")).toBe(
    "\uFEFFchannel,bucket,count,closed,open,messages,tfr.avg,tfr.p50,tfr.p90,ttc.avg,ttc.p50,ttc.p90,outgoing,reopenings\r\n" +
      "'=web,1970-01-01T00:00:00.000Z,2,1,1,7,1.5,1,2,,,,1,2\r\n"
  )
})

it("a report file is made page by page, so that it blocks no other request", () => {
  let made = 0
  const row: ReportRow<object> = {
    key: {},
    get metrics() {
      made += 1
      return metrics
    }
  }
  const rows = Array.from({ length: 3 * CSV_PAGE_ROWS }, () => row)
  const [header, first] = reportLines(request, dialogueColumns, rows)
  expect(header).toMatch(/^\uFEFFchannel,bucket,.*\r\n$/u)
  expect(first?.split("\r\n")).toHaveLength(CSV_PAGE_ROWS + 1)
  expect(made).toBe(CSV_PAGE_ROWS)
  expect([...reportLines(request, dialogueColumns, rows)].join("").split("\r\n")).toHaveLength(
    rows.length + 2
  )
})
