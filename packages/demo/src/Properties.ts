// The property values of the demo data: clients, subjects, operators and skill groups.
import { businessTimeOf, DAY_MILLIS, isoDay } from "./Calendar.ts"
import type { ClientPerson } from "./Clients.ts"
import { fixedIds, skillGroups, type Subject } from "./Company.ts"
import definitions from "./data/properties.json" with { type: "json" }
import type { DemoInstance } from "./DemoInstance.ts"
import { Random } from "./Random.ts"

const SALT = 4004

/** The definitions of an instance; every instance has the same ones under ids of its own. */
export const propertyDefinitions = (instanceId: number) =>
  definitions.map((definition, i) => ({
    instanceId,
    id: (instanceId - 1) * definitions.length + i + 1,
    ...definition
  }))

type Values = Readonly<Record<string, string | number | boolean>>

const clientValues = (client: ClientPerson, random: Random, midnight: number): Values => {
  const all = client.row.id === fixedIds.client
  const some = <A>(chance: number, name: string, value: A): Readonly<Record<string, A>> =>
    random.chance(chance) || all ? { [name]: value } : {}
  return {
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
}

const subjectValues = ({ names }: Subject, random: Random, midnight: number): Values => ({
  titleUk: names.uk,
  titleRu: names.ru,
  firstReplyMinutes: random.pick([5, 10, 15, 30]),
  selfService: random.chance(0.6),
  reviewedOn: isoDay(midnight - random.int(10, 300) * DAY_MILLIS),
  escalation: random.pick(["supervisor", "engineer", "finance"])
})

const operatorValues = (random: Random, midnight: number): Values => ({
  position: random.pick(["Customer support specialist", "Senior support specialist", "Support engineer"]),
  grade: random.weighted(["junior", "middle", "senior"], [2, 4, 3]),
  hiredOn: isoDay(midnight - random.int(200, 2600) * DAY_MILLIS),
  remote: random.chance(0.4),
  reviewScore: Math.round((3.5 + random.next() * 1.5) * 10) / 10
})

const skillGroupValues = (id: number, random: Random, midnight: number): Values => ({
  shift: random.pick(["day", "evening", "round_the_clock"]),
  extension: `1${id}0`,
  weekendCover: random.chance(0.7),
  targetReplySeconds: random.pick([60, 120, 180]),
  budgetReviewOn: isoDay(midnight - random.int(5, 200) * DAY_MILLIS)
})

/** The values of all entities of an instance. */
export const propertyValues = ({ clients, company, midnight, staff, subjects }: DemoInstance) => {
  const instanceId = company.instance.id
  const defined = propertyDefinitions(instanceId)
  const rows = (entity: string, entityId: number, seed: number, valuesOf: (random: Random) => Values) => {
    const random = new Random(SALT, seed + entityId)
    const values = valuesOf(random)
    return defined.flatMap((definition) => {
      const value = definition.entity === entity ? values[definition.name] : undefined
      if (value === undefined) return []
      const updatedAt = businessTimeOf(midnight - random.int(1, 400) * DAY_MILLIS, random)
      return [
        {
          instanceId,
          id: random.uuid(updatedAt),
          entity,
          entityId,
          definitionId: definition.id,
          value,
          updatedAt
        }
      ]
    })
  }
  return [
    ...[...clients.values()].flatMap((client) =>
      rows("client", client.row.id, 0, (random) => clientValues(client, random, midnight))
    ),
    ...subjects.flatMap((subject) =>
      rows("subject", subject.id, 100_000, (random) => subjectValues(subject, random, midnight))
    ),
    ...staff.flatMap(({ id }) => rows("operator", id, 200_000, (random) => operatorValues(random, midnight))),
    ...skillGroups(instanceId).flatMap(({ id }) =>
      rows("skill_group", id, 300_000, (random) => skillGroupValues(id, random, midnight))
    )
  ]
}
