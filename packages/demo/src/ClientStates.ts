// The namespaced state of one client of the demo, each with the versions it went through.
import { businessTimeOf, DAY_MILLIS, isoDay } from "./Calendar.ts"
import type { ClientPerson } from "./Clients.ts"
import type { DemoClient } from "./DemoInstance.ts"
import type { Random } from "./Random.ts"

const stateOf = (namespace: string, client: ClientPerson, random: Random, at: number) => {
  switch (namespace) {
    case "crm":
      return {
        tier: client.segment === "vip" ? "gold" : random.pick(["silver", "standard", "standard"]),
        segment: client.segment,
        contract: client.contract,
        churnRisk: Math.round(random.next() * 100) / 100,
        lastContactOn: isoDay(at)
      }
    case "billing":
      return {
        balance: random.int(-300, 900),
        currency: "UAH",
        tariff: client.tariff,
        autoPay: random.chance(0.4),
        nextPaymentOn: isoDay(at + random.int(2, 29) * DAY_MILLIS)
      }
    case "preferences":
      return {
        language: client.row.language,
        channel: client.row.identities[0]?.channel ?? "email",
        notifications: { sms: random.chance(0.5), email: random.chance(0.7), marketing: random.chance(0.4) },
        quietHours: random.pick(["22:00-08:00", "21:00-09:00"])
      }
    default:
      return {
        router: random.pick(["Archer AX23", "Keenetic Hopper", "ASUS RT-AX55", "Tenda AC10"]),
        serial: `SN${random.digits(8)}`,
        rented: random.chance(0.3),
        firmware: `${random.int(1, 4)}.${random.int(0, 9)}.${random.int(0, 20)}`
      }
  }
}

const chances = [
  ["crm", 0.6],
  ["billing", 0.55],
  ["preferences", 0.4],
  ["equipment", 0.25]
] as const

/** All versions of the states of a client, per namespace, the oldest first. */
const stateVersions = ({ client, company, hasEverything, midnight, random }: DemoClient) =>
  chances.flatMap(([namespace, chance]) => {
    if (!hasEverything && !random.chance(chance)) return []
    const last = hasEverything ? random.int(3, 6) : random.int(1, 4)
    let at = midnight - random.int(1, 60) * DAY_MILLIS
    const versions = Array.from({ length: last }, (_, age) => {
      const updatedAt = businessTimeOf(at - DAY_MILLIS, random)
      const state = stateOf(namespace, client, random, updatedAt)
      at -= random.int(3, 40) * DAY_MILLIS
      const of = { instanceId: company.instance.id, clientId: client.row.id, namespace }
      return { ...of, version: last - age, state, updatedAt }
    }).toReversed()
    return [{ versions, id: random.uuid(versions[0]?.updatedAt ?? at) }]
  })

/** The present states and all their versions. */
export const clientStates = (demo: DemoClient) => {
  const all = stateVersions(demo)
  return {
    state: all.flatMap(({ id, versions }) => versions.slice(-1).map((last) => ({ ...last, id }))),
    history: all.flatMap(({ versions }) => versions)
  }
}
