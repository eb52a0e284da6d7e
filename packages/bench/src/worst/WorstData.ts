// The worst data that the limits allow, made through the service's own routes: what the measured requests then meet.
import { Schema } from "effect"
import { randomUUID } from "node:crypto"
import type { Probed } from "./Probed.ts"

/** Ids of what was made; each record is as large as it may be. */
export interface World {
  readonly token: string
  readonly refreshToken: string
  /** 64 namespaces of 64 KiB, 100 actions of 60 KiB, long texts in sessions and chats. */
  readonly clientId: number
  readonly sessionId: string
  readonly batchId: string
  readonly chatId: number
  readonly ticketId: number
  readonly subjectId: number
  readonly groupId: number
  readonly userId: number
  readonly propertyId: number
  readonly modelName: string
  readonly recordId: number
  readonly calendarId: number
  readonly criterionIds: ReadonlyArray<number>
  readonly checklistId: number
  readonly assessmentId: number
  /** A bot whose connector takes updates with INBOUND_SECRET. */
  readonly botId: number
  /** A closed chat that an assessment may be made of. */
  readonly closedChatId: number
  /** A bot with a node of 2,000 places, alias `worst`, and a chatId that it may write to on the channel web. */
  readonly callingBotId: number
  readonly nodeId: number
  readonly botChatId: string
  /** A template, and a broadcast of all clients that have an identity of the channel web. */
  readonly templateId: number
  readonly broadcastId: number
  /** Makes the record that a route ends, by operationId; its id. */
  readonly makeEnded: Readonly<Record<string, () => Promise<string>>>
}

/** Different words of 63 letters are the most expensive to count in tokens, and to index. */
export const words = (bytes: number): string => {
  const all: Array<string> = []
  for (let size = 0; size < bytes - 64; size += 64) {
    const word = randomUUID().replaceAll("-", "") + randomUUID().replaceAll("-", "")
    all.push(word.slice(0, 63).replaceAll(/\d/gu, (digit) => "ghijklmnop"[Number(digit)] ?? "g"))
  }
  return all.join(" ")
}
export const cyrillic = (bytes: number): string =>
  "Щодо їхнього об’єкта, ещё раз проверьте! ".repeat(bytes / 75)
export const ends = (points: number): string => `quetzalcoatl ${"!".repeat(points - 20)}x`

/** Proves that an update comes from the provider of the world's bot. */
export const INBOUND_SECRET = "worst-secret"
export const NAMESPACES = 64
export const CLIENT_TEXTS = 30
const KIB = 1024

const Id = Schema.Struct({ id: Schema.Unknown })
const decodeId = Schema.decodeUnknownSync(Id)
const Login = Schema.Struct({ accessToken: Schema.String, refreshToken: Schema.String })
const decodeLogin = Schema.decodeUnknownSync(Login)

/** The id of the record in an answer, under its name or bare. */
const idIn = (text: string, name: string): string => {
  const body: unknown = JSON.parse(text)
  const named: unknown = typeof body === "object" && body !== null ? Reflect.get(body, name) : undefined
  const record = typeof named === "object" && named !== null ? named : body
  return String(decodeId(record).id)
}

export const login = async ({ ask }: Probed) => {
  const body = JSON.stringify({ login: "administrator", password: "rapport-demo" })
  return decodeLogin(JSON.parse((await ask({ method: "POST", path: "/kw/api/v1/auth/login", body })).text))
}

export const makeWorld = async (service: Probed, note: (line: string) => void): Promise<World> => {
  const { accessToken: token, refreshToken } = await login(service)
  const write = writerOf(service, token, note)
  const suffix = randomUUID().slice(0, 8)
  const client = await makeClient(write, suffix)
  const { clientId } = client
  const directory = await makeDirectory(write, suffix)
  const { appeal, ...appeals } = await makeAppeals(write, clientId, directory.subjectId)
  const quality = await makeQuality(write, appeal)
  const custom = await makeCustomData(write)
  const scenarios = await makeScenarios(write)
  const items = Array.from({ length: 100 }, (_, n) => ({
    kind: "action",
    clientId,
    externalId: `${suffix}-${n}`,
    data: { type: "worst", actorType: "client", occurredAt: "2026-03-01T08:00:00Z", summary: words(9_000) }
  }))
  const batchId = idIn(await write("POST", "/kw/context/import-batches", { source: "worst", items }), "batch")
  return {
    token,
    refreshToken,
    batchId,
    ...client,
    ...directory,
    ...appeals,
    ...quality,
    ...custom,
    ...scenarios,
    makeEnded: endedRecords(write, clientId, custom.modelName)
  }
}

const writerOf =
  (service: Probed, token: string, note: (line: string) => void): Write =>
  async (method, path, content) => {
    const { status, text } = await service.ask({
      method,
      path,
      headers: { authorization: `Bearer ${token}`, "idempotency-key": randomUUID() },
      body: JSON.stringify(content)
    })
    if (status >= 300) note(`${method} ${path}: ${status} ${text.slice(0, 300)}`)
    return text
  }

/** Makes a record by POST; its id. */
const made = async (write: Write, path: string, name: string, content: object): Promise<number> =>
  Number(idIn(await write("POST", `${v1}${path}`, content), name))

/** A client with the largest context, and a session with the longest messages. */
const makeClient = async (write: Write, suffix: string) => {
  const tags = Array.from({ length: 1_000 }, (_, n) => `t${n}`)
  const clientId = await made(write, "/clients", "client", { name: `Worst ${suffix}`, tags })
  const context = `/kw/clients/${clientId}/context`
  for (let n = 0; n < NAMESPACES; n++)
    await write("PUT", `${context}/state/n${n}`, { expectedVersion: 0, state: { text: words(63 * KIB) } })
  for (let n = 0; n < 100; n++)
    await write("POST", `${context}/actions`, {
      type: "worst",
      actorType: "client",
      occurredAt: "2026-03-01T08:00:00Z",
      summary: cyrillic(10_000).slice(0, 9_000),
      payload: { text: words(60 * KIB) }
    })
  const sessionId = idIn(await write("POST", "/kw/context/sessions", { clientId, channel: "web" }), "session")
  const texts = [words, cyrillic, ends]
  for (let n = 0; n < CLIENT_TEXTS; n++)
    await write("POST", `/kw/context/sessions/${sessionId}/messages`, {
      role: "client",
      content: (texts[n % 3] ?? words)(KIB * KIB - 2_048)
    })
  return { clientId, sessionId }
}

/** One record of each kind of the directory, a calendar, and a bot that takes updates. */
const makeDirectory = async (write: Write, suffix: string) => {
  const name = `Worst ${suffix}`
  const subjectId = await made(write, "/subjects", "subject", { name, alias: `worst_${suffix}` })
  const group = { name, subjectIds: [subjectId], memberIds: [31] }
  const user = {
    login: `worst-${suffix}`,
    password: "a long password",
    firstName: "W",
    lastName: "W",
    roles: ["operator"]
  }
  const property = { entity: "client", name: `worst${suffix}`, label: "Worst", type: "string" }
  const calendar = {
    name,
    timezone: "Europe/Kyiv",
    weekly: [{ day: 1, from: "09:00", to: "18:00" }],
    holidays: []
  }
  const connector = { channel: "worst", kind: "telegram", token: "1:worst", secret: INBOUND_SECRET }
  return {
    subjectId,
    groupId: await made(write, "/skill-groups", "skillGroup", group),
    userId: await made(write, "/users", "user", user),
    propertyId: await made(write, "/properties", "property", property),
    calendarId: await made(write, "/statistics/calendars", "calendar", calendar),
    botId: await made(write, "/bots", "bot", { name, connectors: [connector] })
  }
}

/** A chat and a ticket with the longest messages, and 100 chats beside them. */
const makeAppeals = async (write: Write, clientId: number, subjectId: number) => {
  const messages = Array.from({ length: 90 }, (_, n) => ({
    authorType: "client",
    occurredAt: new Date(Date.UTC(2026, 1, 1, 0, n)).toISOString(),
    text: n % 2 === 0 ? `quetzalcoatl ${words(8_000)}` : ends(16_000)
  }))
  const tags = Array.from({ length: 1_000 }, (_, n) => `t${n}`)
  const appeal = { clientId, subjectId, createdAt: "2026-02-01T00:00:00Z", tags }
  const chat = { ...appeal, channel: "web" }
  const chatId = await made(write, "/OpChatRooms", "chat", { ...chat, messages })
  const description = cyrillic(10_000).slice(0, 9_000)
  const ticketId = await made(write, "/Ticket", "ticket", {
    ...appeal,
    title: "Worst",
    description,
    messages
  })
  for (let n = 0; n < 100; n++)
    await write("POST", `${v1}/OpChatRooms`, {
      ...chat,
      comment: ends(10_000),
      messages: messages.slice(0, 2)
    })
  return { appeal, chatId, ticketId }
}

type Write = (method: string, path: string, content: object) => Promise<string>
const v1 = "/kw/api/v1"

/** A checklist of 100 criteria with the longest descriptions, and an assessment by it. */
const makeQuality = async (write: Write, appeal: object) => {
  const criterionIds: Array<number> = []
  for (let n = 0; n < 100; n++) {
    const content = { name: `Worst ${n} ${randomUUID()}`, description: cyrillic(10_000).slice(0, 9_000) }
    criterionIds.push(await made(write, "/quality/criteria", "criterion", content))
  }
  const checklist = { name: `Worst ${randomUUID()}`, criterionIds }
  const checklistId = await made(write, "/quality/checklists", "checklist", checklist)
  const closed = { ...appeal, channel: "web", status: "closed", closedAt: "2026-02-02T00:00:00Z" }
  const closedChatId = await made(write, "/OpChatRooms", "chat", closed)
  const assessed = await write("POST", `${v1}/quality/assessments`, { appealId: closedChatId, checklistId })
  return { criterionIds, checklistId, closedChatId, assessmentId: Number(idIn(assessed, "assessment")) }
}

/** A bot that may call one client, and a broadcast that is a draft. */
const makeScenarios = async (write: Write) => {
  const botChatId = randomUUID()
  await write("POST", `${v1}/clients`, {
    name: "Worst, called",
    identities: [{ channel: "web", chatId: botChatId }]
  })
  const connectors = [{ channel: "web", kind: "webhook", url: "https://chat.example.com/", active: true }]
  const botId = await made(write, "/bots", "bot", { name: "Worst", connectors })
  const node = { name: "Worst", connectorAlias: "worst", template: "{{a}}".repeat(2_000) }
  const nodeId = await made(write, `/bots/${botId}/nodes`, "node", node)
  const template = { name: "Worst", text: "{{name}} {{a|}}".repeat(600) }
  const templateId = await made(write, "/broadcasts/templates", "template", template)
  const draft = { name: "Worst", botId, channel: "web", templateId, audience: { filter: { id: { gt: 1 } } } }
  const broadcastId = await made(write, "/broadcasts", "broadcast", draft)
  return { callingBotId: botId, nodeId, botChatId, templateId, broadcastId }
}

/** A model of twelve long texts and a unique key, with 30 records of the largest size. */
const makeCustomData = async (write: Write) => {
  const modelName = `worst_${randomUUID().slice(0, 8)}`
  await write("POST", `${v1}/custom-data/models`, { name: modelName, label: "Worst", fields: longFields })
  const records = `${v1}/custom-data/${modelName}/records`
  const ids: Array<string> = []
  for (let n = 0; n < 30; n++)
    ids.push(idIn(await write("POST", records, { values: longValues(randomUUID()) }), "record"))
  return { modelName, recordId: Number(ids[0]) }
}

const TEXT_FIELDS = 12
const PATTERN_FIELDS = 3
/** As many steps as a pattern may have, taken for every letter of a text, which it then matches. */
const slowPattern = "(?:[а-яі]?){140}$"
export const longFields = [
  { name: "key", type: "STRING", unique: true },
  ...Array.from({ length: TEXT_FIELDS }, (_, n) => ({
    name: `t${n}`,
    type: "TEXT",
    rules: n < PATTERN_FIELDS ? { pattern: slowPattern } : {}
  }))
]
export const longValues = (key: string) => ({
  key,
  ...Object.fromEntries(
    Array.from({ length: TEXT_FIELDS }, (_, n) => [`t${n}`, cyrillic(10_000).slice(0, 9_000)])
  )
})

const endedRecords = (write: Write, clientId: number, modelName: string): World["makeEnded"] => ({
  mergeClient: async () => {
    const identities = Array.from({ length: 1_000 }, () => ({ channel: "web", chatId: randomUUID() }))
    return idIn(await write("POST", `${v1}/clients`, { name: "Worst, merged", identities }), "client")
  },
  eraseClient: async () => {
    const identities = Array.from({ length: 1_000 }, () => ({ channel: "web", chatId: randomUUID() }))
    return idIn(await write("POST", `${v1}/clients`, { name: "Worst, erased", identities }), "client")
  },
  blockUser: async () => {
    const names = { login: `worst-${randomUUID()}`, firstName: "W", lastName: "W" }
    const user = { ...names, password: "a long password", roles: ["operator"] }
    return idIn(await write("POST", `${v1}/users`, user), "user")
  },
  deleteExternalToken: async () => {
    const token = { name: "Worst", permissions: ["chats.read"] }
    return idIn(await write("POST", `${v1}/auth/external-tokens`, token), "token")
  },
  closeSession: async () =>
    idIn(await write("POST", "/kw/context/sessions", { clientId, channel: "web" }), "session"),
  deleteCriterion: async () =>
    idIn(await write("POST", `${v1}/quality/criteria`, { name: randomUUID() }), "criterion"),
  deleteTemplate: async () =>
    idIn(await write("POST", `${v1}/broadcasts/templates`, { name: randomUUID() }), "template"),
  deleteRecord: async () => {
    const record = { values: { key: randomUUID() } }
    return idIn(await write("POST", `${v1}/custom-data/${modelName}/records`, record), "record")
  },
  deleteModel: async () => {
    const name = `worst_${randomUUID().slice(0, 8)}`
    await write("POST", `${v1}/custom-data/models`, { name, label: "Worst", fields: [] })
    return name
  },
  deleteChecklist: async () =>
    idIn(await write("POST", `${v1}/quality/checklists`, { name: randomUUID() }), "checklist")
})
