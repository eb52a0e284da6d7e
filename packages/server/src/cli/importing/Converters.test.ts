// Small made-up exports of other products, and the lines that they become (docs/moving-in.md).
import { assert, it } from "@effect/vitest"
import { ChatRequest } from "@rapport/contract/appeals/ChatsApi.ts"
import { TicketRequest } from "@rapport/contract/appeals/TicketsApi.ts"
import { HISTORY_MESSAGES_MAX } from "@rapport/contract/Limits.ts"
import { collectFaults } from "@rapport/contract/values/CollectFaults.ts"
import { chatwootLines } from "./Chatwoot.ts"
import { bodiesOf } from "./ImportLines.ts"
import { intercomLines } from "./Intercom.ts"
import { zendeskLines } from "./Zendesk.ts"

/** 1 March 2025, 09:00 UTC. */
const NINE = 1_740_819_600
const at = (minute: number) => new Date((NINE + minute * 60) * 1_000).toISOString()
const known = { clientId: 7, source: "desk", userNamed: () => ({ id: 31, isActive: true }) }

it("a conversation of Chatwoot becomes a client and a chat with notes, files and activity", () => {
  const lines = chatwootLines({
    id: 42,
    status: "resolved",
    priority: "medium",
    created_at: NINE,
    labels: ["billing"],
    meta: {
      channel: "Channel::WebWidget",
      sender: { id: 5, name: "Олена Коваль", email: null, phone_number: "+380501112233" },
      assignee: { id: 2, email: "ivan@example.org" }
    },
    messages: [
      {
        id: 12,
        message_type: 1,
        private: true,
        content: "Перевірити рахунок",
        created_at: NINE + 120,
        sender: { type: "user", email: "ivan@example.org" }
      },
      { id: 11, message_type: 0, content: "Де мій рахунок?", created_at: NINE, sender: { type: "contact" } },
      {
        id: 13,
        message_type: 1,
        content: null,
        created_at: NINE + 180,
        sender: { type: "user", email: "ivan@example.org" },
        attachments: [{ data_url: "https://desk.example.org/invoice.pdf" }]
      },
      { id: 14, message_type: 2, content: "Conversation was resolved", created_at: NINE + 240 },
      {
        id: 15,
        message_type: 3,
        content: "Оцініть розмову",
        created_at: NINE + 300,
        content_attributes: {
          submitted_values: { csat_survey_response: { rating: 4, feedback_message: "Швидко" } }
        }
      },
      { id: 16, message_type: 1, content: "", created_at: NINE + 360, sender: { type: "user" } }
    ]
  })
  assert.deepStrictEqual(lines, [
    {
      kind: "client",
      externalId: "chatwoot-5",
      name: "Олена Коваль",
      phone: "+380501112233",
      createdAt: at(0)
    },
    {
      kind: "chat",
      client: "chatwoot-5",
      externalId: "42",
      channel: "web",
      createdAt: at(0),
      status: "closed",
      operator: "ivan@example.org",
      rating: { score: 4, comment: "Швидко", occurredAt: at(5) },
      tags: ["billing"],
      messages: [
        { externalMessageId: "11", authorType: "client", text: "Де мій рахунок?", occurredAt: at(0) },
        {
          externalMessageId: "12",
          authorType: "operator",
          author: "ivan@example.org",
          text: "Перевірити рахунок",
          occurredAt: at(2),
          visibility: "internal"
        },
        {
          externalMessageId: "13",
          authorType: "operator",
          author: "ivan@example.org",
          text: "https://desk.example.org/invoice.pdf",
          occurredAt: at(3)
        },
        {
          externalMessageId: "14",
          authorType: "system",
          text: "Conversation was resolved",
          occurredAt: at(4)
        },
        { externalMessageId: "15", authorType: "bot", text: "Оцініть розмову", occurredAt: at(5) }
      ]
    }
  ])
  const [body] = bodiesOf(lines[1] ?? {}, known)
  assert.deepStrictEqual(collectFaults(ChatRequest, body), [])
})

it("a ticket of Zendesk keeps its number, requester, times, custom fields and private comments", () => {
  const lines = zendeskLines({
    id: 4711,
    subject: "Роутер перезавантажується",
    description: "Щодня о дев'ятій",
    status: "solved",
    priority: "high",
    created_at: at(0),
    updated_at: at(90),
    metric_set: { solved_at: at(60) },
    satisfaction_rating: { id: 5, score: "bad", comment: "Долго" },
    requester_id: 900,
    submitter_id: 900,
    requester: { id: 900, name: "Иван Петров", email: "petrov@example.org", phone: null },
    assignee: { id: 2, name: "Olha", email: "olha@example.org" },
    via: { channel: "email" },
    tags: ["router"],
    custom_fields: [
      { id: 360, value: "fw 2.1" },
      { id: 361, value: null }
    ],
    comments: [
      { id: 1, author_id: 900, body: "Щодня о дев'ятій", public: true, created_at: at(0) },
      { id: 2, author_id: 2, body: "Known bug", public: false, created_at: at(10) },
      { id: 3, author_id: 77, body: "Оновіть прошивку", public: true, created_at: at(20) },
      {
        id: 4,
        author_id: 900,
        body: "Дякую",
        public: true,
        created_at: at(30),
        attachments: [{ content_url: "https://desk.example.org/photo.jpg" }]
      }
    ]
  })
  assert.deepStrictEqual(lines, [
    {
      kind: "client",
      externalId: "zendesk-900",
      name: "Иван Петров",
      email: "petrov@example.org",
      createdAt: at(0)
    },
    {
      kind: "ticket",
      client: "zendesk-900",
      externalId: "4711",
      number: 4711,
      title: "Роутер перезавантажується",
      description: "Щодня о дев'ятій",
      status: "resolved",
      priority: "high",
      channel: "email",
      operator: "olha@example.org",
      createdAt: at(0),
      closedAt: at(60),
      rating: { score: 1, comment: "Долго", occurredAt: at(90) },
      authorType: "client",
      tags: ["router"],
      customFields: { zendesk_360: "fw 2.1" },
      messages: [
        {
          externalMessageId: "2",
          authorType: "operator",
          author: "olha@example.org",
          text: "Known bug",
          occurredAt: at(10),
          visibility: "internal"
        },
        { externalMessageId: "3", authorType: "operator", text: "Оновіть прошивку", occurredAt: at(20) },
        {
          externalMessageId: "4",
          authorType: "client",
          text: "Дякую\nhttps://desk.example.org/photo.jpg",
          occurredAt: at(30)
        }
      ]
    }
  ])
  const [body] = bodiesOf(lines[1] ?? {}, known)
  assert.deepStrictEqual(collectFaults(TicketRequest, body), [])
})

it("a conversation of Intercom becomes plain text with the authors of its parts", () => {
  const lines = intercomLines({
    type: "conversation",
    id: "147",
    created_at: NINE,
    state: "closed",
    priority: "priority",
    admin_assignee_id: 25,
    statistics: { last_close_at: NINE + 600 },
    conversation_rating: { rating: 3, remark: "", created_at: NINE + 660 },
    source: {
      id: "403",
      type: "conversation",
      body: "<p>Good day,</p><p>where is my order &amp; invoice?</p>",
      author: { type: "lead", id: "5b", name: "Anna Smith", email: "anna@example.org" }
    },
    contacts: { type: "contact.list", contacts: [{ type: "contact", id: "c9" }] },
    tags: { type: "tag.list", tags: [{ id: "1", name: "orders" }] },
    conversation_parts: {
      conversation_parts: [
        {
          id: "1",
          part_type: "assignment",
          body: null,
          created_at: NINE + 60,
          author: { type: "bot", id: "9" }
        },
        {
          id: "2",
          part_type: "note",
          body: "<p>VIP</p>",
          created_at: NINE + 120,
          author: { type: "admin", id: "25", email: "mark@example.org" }
        },
        {
          id: "3",
          part_type: "comment",
          body: "<p>On its way.</p>",
          created_at: NINE + 180,
          author: { type: "admin", id: "25", email: "mark@example.org" }
        }
      ]
    }
  })
  assert.deepStrictEqual(lines, [
    {
      kind: "client",
      externalId: "intercom-c9",
      name: "Anna Smith",
      email: "anna@example.org",
      createdAt: at(0)
    },
    {
      kind: "chat",
      client: "intercom-c9",
      externalId: "147",
      channel: "web",
      createdAt: at(0),
      status: "closed",
      closedAt: at(10),
      rating: { score: 3, occurredAt: at(11) },
      operator: "mark@example.org",
      priority: "high",
      tags: ["orders"],
      messages: [
        {
          externalMessageId: "source-403",
          authorType: "client",
          text: "Good day,\nwhere is my order & invoice?",
          occurredAt: at(0)
        },
        {
          externalMessageId: "2",
          authorType: "operator",
          author: "mark@example.org",
          text: "VIP",
          occurredAt: at(2),
          visibility: "internal"
        },
        {
          externalMessageId: "3",
          authorType: "operator",
          author: "mark@example.org",
          text: "On its way.",
          occurredAt: at(3)
        }
      ]
    }
  ])
  const [body] = bodiesOf(lines[1] ?? {}, known)
  assert.deepStrictEqual(collectFaults(ChatRequest, body), [])
})

it("a long history becomes several requests, of which the last one closes the chat", () => {
  const messages = Array.from({ length: 2 * HISTORY_MESSAGES_MAX + 1 }, (_, n) => ({
    externalMessageId: `m${n}`,
    authorType: "client",
    text: "Алло?",
    occurredAt: at(n)
  }))
  const line = {
    kind: "chat",
    externalId: "1",
    channel: "web",
    status: "closed",
    closedAt: at(9_999),
    messages
  }
  const bodies = bodiesOf(line, known)
  const shown = bodies.map(({ closedAt, messages, status }) => [
    status,
    closedAt,
    Array.isArray(messages) ? messages.length : 0
  ])
  assert.deepStrictEqual(shown, [
    [undefined, undefined, HISTORY_MESSAGES_MAX],
    [undefined, undefined, HISTORY_MESSAGES_MAX],
    ["closed", at(9_999), 1]
  ])
})

it("an open chat is imported without an operator who is not active", () => {
  const line = { kind: "chat", externalId: "1", channel: "web", operator: "old@example.org", messages: [] }
  const blocked = { ...known, userNamed: () => ({ id: 31, isActive: false }) }
  assert.notProperty(bodiesOf(line, blocked)[0], "operatorId")
  assert.propertyVal(bodiesOf({ ...line, status: "closed" }, blocked)[0], "operatorId", 31)
})

it("a ticket of Zendesk without a subject is titled by its description, cut between code points", () => {
  const description = `${"а".repeat(79)}😀😀`
  const [, ticket] = zendeskLines({ id: 1, description, comments: [] })
  assert.strictEqual(ticket?.["title"], `${"а".repeat(79)}😀`)
})

it("a conversation without the id of a client names no client, so that people never share one", () => {
  for (const convert of [chatwootLines, intercomLines, zendeskLines]) {
    const [client, appeal] = convert({ id: 1 })
    assert.notProperty(client, "externalId")
    assert.notProperty(appeal, "client")
  }
})

it("a text that is no time, or a number beyond all dates, stays in the record and is refused with it", () => {
  const messages = [{ id: 11, message_type: 0, content: "Де мій рахунок?", created_at: 1e15 }]
  const [, chat = {}] = chatwootLines({ id: 42, created_at: "вчора", meta: { sender: { id: 5 } }, messages })
  const [body] = bodiesOf(chat, known)
  assert.deepStrictEqual(
    collectFaults(ChatRequest, body).map(({ path }) => path),
    ["createdAt", "messages[0].occurredAt"]
  )
})
