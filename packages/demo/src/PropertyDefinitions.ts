// The property definitions of the demo data for the four kinds of entity, some of them for certain roles only.
import type { PropertyDefinitionRow, PropertyEntity, Role } from "./SeedRows.ts"

type DefinitionLine = readonly [
  entity: PropertyEntity,
  name: string,
  label: string,
  type: PropertyDefinitionRow["type"],
  options: string,
  visibleTo: string
]

const definitionLines: ReadonlyArray<DefinitionLine> = [
  ["client", "fullName", "Full name", "string", "", ""],
  ["client", "contractNumber", "Contract", "string", "", ""],
  ["client", "segment", "Segment", "enum", "home,business,vip", ""],
  ["client", "tariff", "Tariff", "string", "", ""],
  ["client", "birthday", "Birthday", "date", "", ""],
  ["client", "loyaltyPoints", "Loyalty points", "number", "", ""],
  ["client", "marketingConsent", "Marketing consent", "boolean", "", ""],
  ["client", "creditLimit", "Credit limit, UAH", "number", "", "supervisor,administrator"],
  ["client", "fraudRisk", "Fraud risk", "enum", "low,medium,high", "supervisor,administrator,qa_lead"],
  ["subject", "titleUk", "Назва українською", "string", "", ""],
  ["subject", "titleRu", "Название по-русски", "string", "", ""],
  ["subject", "firstReplyMinutes", "First reply, minutes", "number", "", ""],
  ["subject", "selfService", "Self-service article", "boolean", "", ""],
  ["subject", "reviewedOn", "Reviewed on", "date", "", ""],
  ["subject", "escalation", "Escalation", "enum", "supervisor,engineer,finance", "supervisor,administrator"],
  ["operator", "position", "Position", "string", "", ""],
  ["operator", "grade", "Grade", "enum", "junior,middle,senior", ""],
  ["operator", "hiredOn", "Hired on", "date", "", ""],
  ["operator", "remote", "Works remotely", "boolean", "", ""],
  ["operator", "reviewScore", "Review score", "number", "", "supervisor,administrator"],
  ["skill_group", "shift", "Shift", "enum", "day,evening,round_the_clock", ""],
  ["skill_group", "extension", "Phone extension", "string", "", ""],
  ["skill_group", "weekendCover", "Weekend cover", "boolean", "", ""],
  ["skill_group", "targetReplySeconds", "Target first reply, s", "number", "", ""],
  ["skill_group", "budgetReviewOn", "Budget review", "date", "", "supervisor,administrator"]
]

const isRole = (name: string): name is Role =>
  name === "administrator" || name === "supervisor" || name === "qa_lead"

const roleList = (names: string): ReadonlyArray<Role> => (names === "" ? [] : names.split(",").filter(isRole))

/** The definitions of an instance; every instance has the same ones under ids of its own. */
export const propertyDefinitions = (instanceId: number): ReadonlyArray<PropertyDefinitionRow> =>
  definitionLines.map(([entity, name, label, type, options, visibleTo], i) => ({
    instanceId,
    id: (instanceId - 1) * definitionLines.length + i + 1,
    entity,
    name,
    label,
    type,
    options: options === "" ? [] : options.split(","),
    visibleTo: roleList(visibleTo)
  }))
