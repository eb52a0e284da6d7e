// Connectors of a bot, of which there may be a thousand (contract §12).
import { assert, it } from "@effect/vitest"
import { withTurns } from "../testing/EventLoop.ts"
import { mapYielding } from "./Connectors.ts"

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
