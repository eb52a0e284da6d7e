// The namespaced state of one client of the demo, each with the versions it went through.
import { DAY_MILLIS, businessTimeOf } from "./Calendar.ts"
import type { ClientPerson } from "./Clients.ts"
import { type ContextSpec, hasEverything } from "./ContextSpec.ts"
import type { Random } from "./Random.ts"
import type { ClientStateHistoryRow, ClientStateRow, JsonObject } from "./SeedRows.ts"

const isoDay = (millis: number): string => new Date(millis).toISOString().slice(0, 10)

const stateOf = (namespace: string, client: ClientPerson, random: Random, at: number): JsonObject => {
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
        router: slotRouter(random),
        serial: `SN${random.digits(8)}`,
        rented: random.chance(0.3),
        firmware: `${random.int(1, 4)}.${random.int(0, 9)}.${random.int(0, 20)}`
      }
  }
}

const slotRouter = (random: Random): string =>
  random.pick(["Archer AX23", "Keenetic Hopper", "ASUS RT-AX55", "Tenda AC10"])

/** The present states and all their versions. */
export const clientStates = (
  spec: ContextSpec,
  random: Random
): {
  readonly state: ReadonlyArray<ClientStateRow>
  readonly history: ReadonlyArray<ClientStateHistoryRow>
} => {
  const { client, company, midnight } = spec
  const all = hasEverything(spec)
  const chances: ReadonlyArray<readonly [string, number]> = [
    ["crm", 0.6],
    ["billing", 0.55],
    ["preferences", 0.4],
    ["equipment", 0.25]
  ]
  const state: Array<ClientStateRow> = []
  const history: Array<ClientStateHistoryRow> = []
  for (const [namespace, chance] of chances) {
    if (!all && !random.chance(chance)) continue
    const version = all ? random.int(3, 6) : random.int(1, 4)
    let at = midnight - random.int(1, 60) * DAY_MILLIS
    const versions: Array<ClientStateHistoryRow> = []
    for (let number = version; number >= 1; number--) {
      const updatedAt = businessTimeOf(at - DAY_MILLIS, random)
      const value = stateOf(namespace, client, random, updatedAt)
      versions.unshift({
        instanceId: company.instance.id,
        clientId: client.row.id,
        namespace,
        version: number,
        state: value,
        updatedAt
      })
      at -= random.int(3, 40) * DAY_MILLIS
    }
    history.push(...versions)
    const last = versions.at(-1)
    if (last !== undefined) state.push({ ...last, id: random.uuid(versions[0]?.updatedAt ?? last.updatedAt) })
  }
  return { state, history }
}
