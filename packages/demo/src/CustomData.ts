// The custom data of the first company: the orders of its shop, and warranties of sold products.
import { DAY_MILLIS, HOUR_MILLIS, isoDay } from "./Calendar.ts"
import type { ClientPerson } from "./Clients.ts"
import { fixedIds } from "./Company.ts"
import texts from "./data/custom-data.json" with { type: "json" }
import words from "./data/slot-words.json" with { type: "json" }
import { customModels } from "./FixedRows.ts"
import { Random } from "./Random.ts"

const SALT = 9002
const [ORDERS, WARRANTIES] = [1, 2]
const { cities, comments, notes } = texts
const { handsets, products, routers } = words
const statuses = ["new", "paid", "shipped", "delivered", "returned"] as const

type Values = Readonly<Record<string, string | number | boolean | null>>

/** A record with its values by the id of their field; empty ones are left out. */
const recordOf = (modelId: number, id: number, createdAt: number, values: Values) => {
  const fields = customModels.find((model) => model.id === modelId)?.fields ?? []
  const filled = fields.flatMap((field) => {
    const value = values[field.name] ?? null
    return value === null ? [] : [[String(field.id), value] as const]
  })
  return { instanceId: fixedIds.instance, modelId, id, createdAt, values: Object.fromEntries(filled) }
}

/** Orders of a client, and the warranties that came with them; the client of the examples has three orders. */
export const customRecords = (clients: ReadonlyArray<ClientPerson>, midnight: number) => {
  const orders: Array<{ readonly at: number; readonly values: Values }> = []
  const warranties: Array<{ readonly at: number; readonly values: Values; readonly order: number }> = []
  for (const { row: client } of clients) {
    const random = new Random(SALT, client.id)
    for (let left = client.id === fixedIds.client ? 3 : random.int(0, 3); left > 0; left--) {
      const at = midnight - random.int(1, 700 * 24) * HOUR_MILLIS
      const order = orders.length + 1
      const product = random.pick(products[client.language])
      const quantity = random.weighted([1, 2, 3], [8, 2, 1])
      const status =
        midnight - at > 14 * DAY_MILLIS ? random.weighted(statuses.slice(3), [9, 1]) : random.pick(statuses)
      const isDelivered = status === "delivered" || status === "returned"
      const ordered = {
        number: `VB-${String(100_000 + order)}`,
        client: client.id,
        item: product.nominative,
        quantity,
        total: quantity * product.price,
        status,
        city: random.pick(cities[client.language]),
        express: random.chance(0.2),
        orderedOn: isoDay(at),
        deliveredAt: isDelivered
          ? new Date(Math.min(midnight, at + random.int(20, 160) * HOUR_MILLIS)).toISOString()
          : null,
        comment: random.chance(0.3) ? random.pick(comments[client.language]) : null
      }
      orders.push({ at, values: ordered })
      if (!isDelivered || !random.chance(0.6)) continue
      const isRouter = random.chance(0.5)
      const warranted = {
        number: `W-${2_000 + warranties.length}`,
        serial: `${isRouter ? "R" : "P"}${random.digits(6)}-${order}`,
        client: client.id,
        kind: isRouter ? "router" : "phone",
        model: random.pick(isRouter ? routers : handsets),
        firmware: isRouter ? `${random.int(1, 4)}.${random.int(0, 9)}.${random.int(0, 30)}` : null,
        faults: random.weighted([0, 1, 2, 5], [6, 2, 1, 1]),
        until: isoDay(at + 730 * DAY_MILLIS),
        lastSeenAt: new Date(midnight - random.int(0, 900) * HOUR_MILLIS).toISOString(),
        note: random.chance(0.15) ? random.pick(notes[client.language]) : null
      }
      warranties.push({ at: at + 7 * DAY_MILLIS, values: warranted, order })
    }
  }
  // Warranties first: the document's examples read the record of id 1.
  const count = warranties.length
  return [
    ...warranties.map(({ at, order, values }, i) =>
      recordOf(WARRANTIES, i + 1, at, { ...values, order: count + order })
    ),
    ...orders.map(({ at, values }, i) => recordOf(ORDERS, count + i + 1, at, values))
  ]
}
