// The custom data of the first company: the orders of its shop, and warranties of sold products.
import { DAY_MILLIS, HOUR_MILLIS } from "./Calendar.ts"
import { fixedIds } from "./Company.ts"
import texts from "./data/custom-data.json" with { type: "json" }
import { Random } from "./Random.ts"
import { customModels } from "./FixedRows.ts"
import type { ClientRow, CustomRecordRow, CustomValue } from "./SeedRows.ts"
import { handsets, products, routers } from "./SlotWords.ts"

const SALT = 9002
const [ORDERS, WARRANTIES] = [1, 2]
const { cities, comments, notes } = texts
const statuses = ["new", "paid", "shipped", "delivered", "returned"] as const

const dayOf = (millis: number): string => new Date(millis).toISOString().slice(0, 10)
const fieldsOf = (modelId: number) => customModels.find(({ id }) => id === modelId)?.fields ?? []
const ORDER_FIELD = fieldsOf(WARRANTIES).find(({ name }) => name === "order")?.id

/** Values by the id of their field. */
const named = (modelId: number, values: Readonly<Record<string, CustomValue | null>>) =>
  Object.fromEntries(
    fieldsOf(modelId).flatMap(({ id, name }) => {
      const value = values[name]
      return value === null || value === undefined ? [] : [[String(id), value] as const]
    })
  )

/** Orders of a client, and the warranties that came with them; the client of the examples has three orders. */
export const customRecords = (
  clients: ReadonlyArray<ClientRow>,
  midnight: number
): ReadonlyArray<CustomRecordRow> => {
  const orders: Array<CustomRecordRow> = []
  const warranties: Array<CustomRecordRow> = []
  for (const client of clients.filter(({ instanceId }) => instanceId === fixedIds.instance)) {
    const random = new Random(SALT, client.id)
    for (let left = client.id === fixedIds.client ? 3 : random.int(0, 3); left > 0; left--) {
      const at = midnight - random.int(1, 700 * 24) * HOUR_MILLIS
      const id = orders.length + 1
      const product = random.pick(products[client.language])
      const quantity = random.weighted([1, 2, 3], [8, 2, 1])
      const status =
        midnight - at > 14 * DAY_MILLIS ? random.weighted(statuses.slice(3), [9, 1]) : random.pick(statuses)
      const isDelivered = status === "delivered" || status === "returned"
      orders.push({
        instanceId: client.instanceId,
        modelId: ORDERS,
        id,
        createdAt: at,
        values: named(ORDERS, {
          number: `VB-${String(100_000 + id)}`,
          client: client.id,
          item: product.nominative,
          quantity,
          total: quantity * product.price,
          status,
          city: random.pick(cities[client.language]),
          express: random.chance(0.2),
          orderedOn: dayOf(at),
          deliveredAt: isDelivered
            ? new Date(Math.min(midnight, at + random.int(20, 160) * HOUR_MILLIS)).toISOString()
            : null,
          comment: random.chance(0.3) ? random.pick(comments[client.language]) : null
        })
      })
      if (!isDelivered || !random.chance(0.6)) continue
      const isRouter = random.chance(0.5)
      warranties.push({
        instanceId: client.instanceId,
        modelId: WARRANTIES,
        id: 0,
        createdAt: at + 7 * DAY_MILLIS,
        values: named(WARRANTIES, {
          number: `W-${2_000 + warranties.length}`,
          serial: `${isRouter ? "R" : "P"}${random.digits(6)}-${id}`,
          client: client.id,
          order: id,
          kind: isRouter ? "router" : "phone",
          model: random.pick(isRouter ? routers : handsets),
          firmware: isRouter ? `${random.int(1, 4)}.${random.int(0, 9)}.${random.int(0, 30)}` : null,
          faults: random.weighted([0, 1, 2, 5], [6, 2, 1, 1]),
          until: dayOf(at + 730 * DAY_MILLIS),
          lastSeenAt: new Date(midnight - random.int(0, 900) * HOUR_MILLIS).toISOString(),
          note: random.chance(0.15) ? random.pick(notes[client.language]) : null
        })
      })
    }
  }
  // Warranties first: the document's examples read the record of id 1.
  const name = (values: CustomRecordRow["values"]) => ({
    ...values,
    [String(ORDER_FIELD)]: Number(values[String(ORDER_FIELD)]) + warranties.length
  })
  return [
    ...warranties.map((warranty, i) => ({ ...warranty, id: i + 1, values: name(warranty.values) })),
    ...orders.map((order) => ({ ...order, id: order.id + warranties.length }))
  ]
}
