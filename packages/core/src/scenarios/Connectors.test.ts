// Connectors of a bot, of which there may be a thousand (contract §12).
import { assert, it } from "@effect/vitest"
import { Redacted } from "effect"
import { withTurns } from "../testing/EventLoop.ts"
import type { StoredConnector } from "./BotStore.ts"
import { draftOf, mapYielding } from "./Connectors.ts"

it("encrypting many connectors yields to other requests", async () => {
  const places = await withTurns((turns) =>
    mapYielding(Array.from({ length: 1_000 }), (_, place) => [place, turns()] as const)
  )
  assert.deepStrictEqual(
    places.map(([place]) => place),
    Array.from({ length: 1_000 }, (_, place) => place)
  )
  const [, last = 0] = places.at(-1) ?? []
  assert.isAtLeast(last, 5)
})

it("a changed connector keeps omitted members if its channel and kind are unchanged", () => {
  const present: StoredConnector = {
    channel: "web",
    kind: "webhook",
    url: "https://chat.example.com/",
    secret: Redacted.make("whsec_AAAA"),
    previousSecret: Redacted.make("whsec_BBBB"),
    token: null,
    active: false
  }
  const byChannel = new Map([[present.channel, present]])
  assert.deepStrictEqual(draftOf(byChannel, { channel: "web", kind: "webhook" }), present)
  const ended = draftOf(byChannel, { channel: "web", kind: "webhook", previousSecret: null })
  assert.deepStrictEqual(ended, { ...present, previousSecret: null })
  for (const other of [
    { channel: "web", kind: "telegram" },
    { channel: "other", kind: "webhook" }
  ] as const)
    assert.deepStrictEqual(draftOf(byChannel, other), {
      ...other,
      url: null,
      secret: null,
      previousSecret: null,
      token: null,
      active: true
    })
})
