import { assert, it } from "@effect/vitest"
import { EVIDENCE_FORMAT, SQLITE_FORMATS_READABLE } from "@rapport/core/search/EvidenceFormat.ts"
import table from "@rapport/core/search/text/endings.json" with { type: "json" }
import irregular from "@rapport/core/search/text/irregular.json" with { type: "json" }
import { countedText, passagesOf } from "@rapport/core/search/text/Words.ts"
import { familiesIn } from "@rapport/core/search/text/Terms.ts"
import { appeal } from "@rapport/core/testing/EvidenceFixtures.ts"
import { createHash } from "node:crypto"
import { indexedChange } from "../opensearch/EvidenceFields.ts"
import { evidenceTemplate } from "../opensearch/EvidenceMapping.ts"
import { tables } from "../sqlite/EvidenceFiles.ts"

const texts = [
  "Пам’ять під'єднали, п\u00adродовж: рахунки, картці, людей, ґанок, їжаки",
  "Требуют возвраты денег, прошло пять лет, ёлка, объявление",
  "The invoices were refunded, don't worry about counseling in 2026, we went; дocтaвкa",
  "067 123-45-67, 2 500 грн, RX-5521, 3шт, Wi-Fi, замовлення10245, Łódź, 我的订单, 👍"
]

const document = appeal({ documentId: 1, heading: "Заявка опис", texts })
const longDocument = appeal({ documentId: 2, texts: Array.from({ length: 15 }, (_, at) => `слово ${at}`) })

/** Without the format and the comments. */
const bareTables = tables.replace(/user_version = \d+|^ *--.*\n/gmu, "")

/** Everything that one of the engines keeps, or has in what it keeps. */
const bakedIn = JSON.stringify({
  table,
  irregular: `\n${irregular.join("\n")}`,
  tables: bareTables,
  template: { ...evidenceTemplate("p", { composedOf: [] }), _meta: {} },
  document: indexedChange(1, { _tag: "Upsert", document }).source,
  longDocument: indexedChange(1, { _tag: "Upsert", document: longDocument }).source,
  passages: passagesOf(document).passages.map((one) => ({
    ...one,
    counted: countedText(one),
    families: [...familiesIn(one.text)]
  }))
})

const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16)

/** Of the tables of the embedded index, by format: what they are keeps, or ends, the service of an older file. */
const TABLES: ReadonlyArray<readonly [format: number, digest: string]> = [
  [11, "aec1b19bf3f42397"],
  [10, "aec1b19bf3f42397"],
  [9, "aec1b19bf3f42397"],
  [8, "aec1b19bf3f42397"],
  [7, "aec1b19bf3f42397"]
]

it("EVIDENCE_FORMAT covers everything baked into an index", () => {
  // Changed it? Raise EVIDENCE_FORMAT, then write the number and the new digest here.
  assert.deepStrictEqual([EVIDENCE_FORMAT, digestOf(bakedIn)], [11, "94dbf06c9a736be8"])
})

it("EVIDENCE_FORMAT serves exactly the older indexes with the same tables", () => {
  // After raising the format, add its number and digest. An older format with the same tables is still used.
  const now = digestOf(bareTables)
  assert.deepStrictEqual(TABLES[0], [EVIDENCE_FORMAT, now])
  assert.deepStrictEqual(
    SQLITE_FORMATS_READABLE,
    TABLES.slice(1)
      .filter(([, digest]) => digest === now)
      .map(([format]) => format)
  )
})
