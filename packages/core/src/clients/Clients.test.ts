// The result of a merge of two clients (contract §9, "Clients").
import { assert, it } from "@effect/vitest"
import type { Client } from "@rapport/contract/clients/ClientsApi.ts"
import { survivorOf } from "./Clients.ts"

const client = (id: number, more: Partial<Client>): Client => ({
  id,
  name: `client ${id}`,
  email: null,
  phone: null,
  emails: [],
  phones: [],
  externalId: null,
  language: null,
  tags: [],
  identities: [],
  createdAt: id,
  updatedAt: id,
  version: id,
  ...more
})

it("a merge keeps the survivor's members, fills its gaps and joins tags and identities", () => {
  const web = { channel: "web", chatId: "1", subscribed: true }
  const telegram = { channel: "telegram", chatId: "2", subscribed: false }
  const from = client(1, { emails: ["from", "into"], phones: ["from"], tags: ["a", "b"], identities: [web] })
  const into = client(2, { emails: ["into"], tags: ["b", "c"], identities: [telegram] })
  assert.deepStrictEqual(survivorOf({ from, into }), {
    ...into,
    email: "into",
    emails: ["into", "from"],
    phone: "from",
    phones: ["from"],
    tags: ["b", "c", "a"],
    identities: [telegram, web]
  })
})
