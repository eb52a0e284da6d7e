// The property values of the demo data: clients, subjects, operators and skill groups.
import { DAY_MILLIS, businessTimeOf } from "./Calendar.ts"
import type { ClientPerson } from "./Clients.ts"
import { fixedIds, type Staff, type Subject } from "./Company.ts"
import { Random } from "./Random.ts"
import type { PropertyDefinitionRow, PropertyValueRow, SkillGroupRow } from "./SeedRows.ts"

const SALT = 4004

type Values = Readonly<Record<string, string | number | boolean>>

const isoDay = (millis: number): string => new Date(millis).toISOString().slice(0, 10)

const rows = (
  definitions: ReadonlyArray<PropertyDefinitionRow>,
  entity: PropertyDefinitionRow["entity"],
  entityId: number,
  values: Values,
  random: Random,
  midnight: number
): ReadonlyArray<PropertyValueRow> =>
  definitions.flatMap((definition) => {
    const value = definition.entity === entity ? values[definition.name] : undefined
    if (value === undefined) return []
    const updatedAt = businessTimeOf(midnight - random.int(1, 400) * DAY_MILLIS, random)
    return [
      {
        instanceId: definition.instanceId,
        id: random.uuid(updatedAt),
        entity,
        entityId,
        definitionId: definition.id,
        value,
        updatedAt
      }
    ]
  })

export const clientProperties = (
  client: ClientPerson,
  definitions: ReadonlyArray<PropertyDefinitionRow>,
  midnight: number
): ReadonlyArray<PropertyValueRow> => {
  const random = new Random(SALT, client.row.id)
  const all = client.row.id === fixedIds.client
  const some = <A>(chance: number, name: string, value: A): Readonly<Record<string, A>> =>
    random.chance(chance) || all ? { [name]: value } : {}
  const values: Values = {
    fullName: client.row.name,
    contractNumber: client.contract,
    segment: client.segment,
    tariff: client.tariff,
    loyaltyPoints: random.int(0, 4200),
    ...some(0.6, "birthday", isoDay(midnight - random.int(20 * 365, 75 * 365) * DAY_MILLIS)),
    ...some(0.8, "marketingConsent", random.chance(0.5)),
    ...some(0.5, "creditLimit", random.int(0, 10) * 500),
    ...some(0.3, "fraudRisk", random.weighted(["low", "medium", "high"], [8, 2, 1]))
  }
  return rows(definitions, "client", client.row.id, values, random, midnight)
}

export const subjectProperties = (
  subject: Subject,
  definitions: ReadonlyArray<PropertyDefinitionRow>,
  midnight: number
): ReadonlyArray<PropertyValueRow> => {
  const random = new Random(SALT, 100_000 + subject.id)
  const values: Values = {
    titleUk: subject.names.uk,
    titleRu: subject.names.ru,
    firstReplyMinutes: random.pick([5, 10, 15, 30]),
    selfService: random.chance(0.6),
    reviewedOn: isoDay(midnight - random.int(10, 300) * DAY_MILLIS),
    escalation: random.pick(["supervisor", "engineer", "finance"])
  }
  return rows(definitions, "subject", subject.id, values, random, midnight)
}

export const operatorProperties = (
  user: Staff,
  definitions: ReadonlyArray<PropertyDefinitionRow>,
  midnight: number
): ReadonlyArray<PropertyValueRow> => {
  const random = new Random(SALT, 200_000 + user.id)
  const values: Values = {
    position: random.pick(["Customer support specialist", "Senior support specialist", "Support engineer"]),
    grade: random.weighted(["junior", "middle", "senior"], [2, 4, 3]),
    hiredOn: isoDay(midnight - random.int(200, 2600) * DAY_MILLIS),
    remote: random.chance(0.4),
    reviewScore: Math.round((3.5 + random.next() * 1.5) * 10) / 10
  }
  return rows(definitions, "operator", user.id, values, random, midnight)
}

export const skillGroupProperties = (
  group: SkillGroupRow,
  definitions: ReadonlyArray<PropertyDefinitionRow>,
  midnight: number
): ReadonlyArray<PropertyValueRow> => {
  const random = new Random(SALT, 300_000 + group.id)
  const values: Values = {
    shift: random.pick(["day", "evening", "round_the_clock"]),
    extension: `1${group.id}0`,
    weekendCover: random.chance(0.7),
    targetReplySeconds: random.pick([60, 120, 180]),
    budgetReviewOn: isoDay(midnight - random.int(5, 200) * DAY_MILLIS)
  }
  return rows(definitions, "skill_group", group.id, values, random, midnight)
}
