// Reads the filter of an audience like the parameters of GET /clients (contract §9.1).
import { clients } from "@rapport/contract/clients/ClientsApi.ts"
import type { Violation } from "@rapport/contract/Errors.ts"
import { AUDIENCE_CONDITIONS_MAX, VIOLATIONS_MAX } from "@rapport/contract/Limits.ts"
import { type Field, type Operator, operatorsOf } from "@rapport/contract/lists/Collection.ts"
import { Predicate } from "effect"
import { readConditionValue } from "../lists/ConditionValue.ts"
import type { ListFilter } from "../lists/ListRequest.ts"

const PATH = "audience.filter"
const fields: ReadonlyMap<string, Field> = new Map(Object.entries(clients.fields))

/** `{field: value}` is eq, `{field: {op: value}}` any of its operators; in and nin take an array. */
export const readFilter = (filter: Readonly<Record<string, unknown>>) => {
  const filters: Array<ListFilter> = []
  const violations: Array<Violation> = []
  const add = (name: string, field: Field, operator: Operator, value: unknown, path: string) => {
    const read = readConditionValue(field, operator, value)
    if ("message" in read) violations.push({ path, message: read.message })
    else filters.push({ field: name, operator, value: read.value })
  }
  for (const [name, condition] of Object.entries(filter).slice(0, VIOLATIONS_MAX)) {
    const path = `${PATH}.${name}`
    const field = fields.get(name)
    if (field === undefined) {
      violations.push({ path, message: `is unknown: the fields are ${[...fields.keys()].join(", ")}` })
      continue
    }
    if (!Predicate.isReadonlyObject(condition)) {
      add(name, field, "eq", condition, path)
      continue
    }
    const known = operatorsOf(field)
    for (const [given, value] of Object.entries(condition).slice(0, VIOLATIONS_MAX)) {
      const operator = known.find((one) => one === given)
      if (operator === undefined)
        violations.push({
          path: `${path}.${given}`,
          message: `is unknown: the operators are ${known.join(", ")}`
        })
      else add(name, field, operator, value, `${path}.${given}`)
    }
  }
  if (filters.length > AUDIENCE_CONDITIONS_MAX)
    violations.push({ path: PATH, message: `must have at most ${AUDIENCE_CONDITIONS_MAX} conditions` })
  return { filters, violations: violations.slice(0, VIOLATIONS_MAX) }
}
