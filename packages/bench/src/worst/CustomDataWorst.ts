// Custom data: models with every field, records of the largest size, the deepest search (docs/security.md).
import { randomUUID } from "node:crypto"
import { many } from "./Bodies.ts"
import { longFields, longValues } from "./WorstData.ts"
import type { Entries } from "./WorstRequests.ts"

const hundredFields = many(100, (n) => ({
  name: `f${n}`,
  type: "TEXT",
  rules: { pattern: "(a|b)*c".repeat(14), maxLength: 10_000 }
}))
const condition = (n: number) => ({ field: `t${n % 12}`, op: "contains", value: "е" })
const deepest = () => ({
  and: many(15, () => ({ or: many(15, () => ({ and: many(15, (n) => condition(n)) })) }))
})

const repeated = many(100, (n) => ({ name: `f${n}`, type: "TEXT", rules: { pattern: "a{1000}".repeat(28) } }))

export const entries: Entries = {
  createModel: () => [
    [
      "100 patterns that repeat too much",
      () => ({ name: `worst_${randomUUID().slice(0, 8)}`, label: "Worst", fields: repeated })
    ],
    [
      "100 fields with patterns",
      () => ({ name: `worst_${randomUUID().slice(0, 8)}`, label: "Worst", fields: hundredFields })
    ]
  ],
  updateModel: () => [["every field", () => ({ expectedVersion: 1, label: "Worst", fields: longFields })]],
  createRecord: () => [["twelve texts of 9,000 letters", () => ({ values: longValues(randomUUID()) })]],
  updateRecord: () => [
    ["twelve texts of 9,000 letters", () => ({ expectedVersion: 1, values: longValues(randomUUID()) })]
  ],
  upsertRecords: () => [
    [
      "100 records",
      () => ({
        keyField: "key",
        records: many(100, () => ({ values: { key: randomUUID(), t0: "ї".repeat(1_000) } }))
      })
    ]
  ],
  searchRecords: () => [
    ["3,375 conditions", () => ({ where: deepest(), limit: 100 })],
    ["15 conditions", () => ({ where: { and: many(15, (n) => condition(n)) }, limit: 100 })]
  ]
}
