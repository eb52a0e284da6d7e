// The custom data of the first company: the orders of its shop, and warranties of sold products.
import { DAY_MILLIS, HOUR_MILLIS } from "./Calendar.ts"
import { fixedIds } from "./Company.ts"
import { Random } from "./Random.ts"
import type {
  ClientRow,
  CustomField,
  CustomModelRow,
  CustomRecordRow,
  CustomValue,
  Language
} from "./SeedRows.ts"
import { handsets, products, routers } from "./SlotWords.ts"

const SALT = 9002
const [ORDERS, WARRANTIES] = [1, 2]
/** Ids of the fields of orders begin here, those of warranties there. */
const [FIRST_OF_ORDERS, FIRST_OF_WARRANTIES] = [1, 21]

type FieldLine = readonly [name: string, type: CustomField["type"], more?: Partial<CustomField>]
const key = { required: true, unique: true }
const orderFields: ReadonlyArray<FieldLine> = [
  ["number", "STRING", { ...key, rules: { pattern: "^VB-[0-9]{6}$" } }],
  ["client", "ASSOCIATION", { required: true, target: "client" }],
  ["item", "STRING"],
  ["quantity", "INTEGER", { rules: { min: 1, max: 100 } }],
  ["total", "FLOAT", { rules: { min: 0 } }],
  ["status", "STRING", { rules: { enum: ["new", "paid", "shipped", "delivered", "returned"] } }],
  ["city", "STRING"],
  ["express", "BOOLEAN"],
  ["orderedOn", "DATE"],
  ["deliveredAt", "DATETIME"],
  ["comment", "TEXT"]
]
/** The first three are those of the examples in the document of the API. */
const warrantyFields: ReadonlyArray<FieldLine> = [
  ["number", "STRING", { ...key, rules: { pattern: "^W-[0-9]+$" } }],
  ["client", "ASSOCIATION", { target: "client" }],
  ["until", "DATE"],
  ["serial", "STRING"],
  ["order", "ASSOCIATION", { target: "orders" }],
  ["kind", "STRING", { rules: { enum: ["router", "phone"] } }],
  ["model", "STRING"],
  ["firmware", "STRING"],
  ["faults", "INTEGER", { rules: { min: 0 } }],
  ["lastSeenAt", "DATETIME"],
  ["note", "TEXT"]
]
const withIds = (lines: ReadonlyArray<FieldLine>, first: number): ReadonlyArray<CustomField> =>
  lines.map(([name, type, more], i) => ({
    name,
    type,
    required: false,
    unique: false,
    rules: {},
    target: null,
    ...more,
    id: first + i
  }))

const ORDER_FIELD = FIRST_OF_WARRANTIES + warrantyFields.findIndex(([name]) => name === "order")

const models: ReadonlyArray<Omit<CustomModelRow, "instanceId">> = [
  { id: ORDERS, name: "orders", label: "Замовлення", fields: withIds(orderFields, FIRST_OF_ORDERS) },
  {
    id: WARRANTIES,
    name: "warranties",
    label: "Warranties",
    fields: withIds(warrantyFields, FIRST_OF_WARRANTIES)
  }
]

export const customModels = (instanceId: number): ReadonlyArray<CustomModelRow> =>
  instanceId !== fixedIds.instance ? [] : models.map((model) => ({ instanceId, ...model }))

const cities: Readonly<Record<Language, ReadonlyArray<string>>> = {
  uk: ["Київ", "Львів", "Одеса", "Харків", "Дніпро", "Ґоронда"],
  ru: ["Киев", "Львов", "Одесса", "Харьков", "Днепр"],
  en: ["Kyiv", "Lviv", "Odesa", "London", "Warsaw"]
}
const comments: Readonly<Record<Language, ReadonlyArray<string>>> = {
  uk: ["Зателефонувати за годину до доставки", "Залишити в консьєржа", "Подарункове пакування, без чека"],
  ru: ["Позвонить за час до доставки", "Оставить у консьержа", "Домофон не работает"],
  en: ["Please call an hour before", "Leave it with the concierge", "Gift wrap, no receipt"]
}
const notes: Readonly<Record<Language, ReadonlyArray<string>>> = {
  uk: ["Перезавантажується ввечері, чекаємо на блок живлення", "Клієнт сам змінив DNS"],
  ru: ["Перезагружается по вечерам, ждём блок питания", "Клиент сам сменил DNS"],
  en: ["Restarts in the evening, a power supply is on its way", "The client changed the DNS"]
}
const statuses = ["new", "paid", "shipped", "delivered", "returned"] as const

const dayOf = (millis: number): string => new Date(millis).toISOString().slice(0, 10)
const named = (
  fields: ReadonlyArray<FieldLine>,
  first: number,
  values: Readonly<Record<string, CustomValue | null>>
): Readonly<Record<string, CustomValue>> =>
  Object.fromEntries(
    fields.flatMap(([name], i) => {
      const value = values[name]
      return value === null || value === undefined ? [] : [[String(first + i), value]]
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
        values: named(orderFields, FIRST_OF_ORDERS, {
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
        values: named(warrantyFields, FIRST_OF_WARRANTIES, {
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
