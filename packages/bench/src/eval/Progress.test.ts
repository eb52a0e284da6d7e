import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { bar, lines } from "./Progress.ts"

const written = () => {
  const texts: Array<string> = []
  return { texts, write: (text: string) => void texts.push(text) }
}

describe("Progress", () => {
  it.effect("is a line for each fifth where no terminal is", () =>
    Effect.gen(function* () {
      const { texts, write } = written()
      const { one } = yield* lines("asking", 10, write)
      yield* Effect.replicateEffect(one, 10)
      assert.deepStrictEqual(
        texts,
        [2, 4, 6, 8, 10].map((done) => `asking ${done}/10\n`)
      )
    })
  )

  it.effect("is a bar that is drawn again at most ten times a second, and always at the end", () =>
    Effect.gen(function* () {
      const { texts, write } = written()
      const { one } = yield* bar("asking", 4, write)
      yield* one
      yield* one
      yield* TestClock.adjust(100)
      yield* one
      yield* one
      assert.deepStrictEqual(
        texts.map((text) => /(\d)\/4/u.exec(text)?.[1]),
        ["1", "3", "4"]
      )
      assert.isTrue(texts.at(-1)?.endsWith("\n"))
      assert.include(texts.at(-1) ?? "", "█".repeat(30))
    })
  )

  it.effect("says that nothing had to be done", () =>
    Effect.gen(function* () {
      const { texts, write } = written()
      const { at } = yield* lines("making operators", 0, write)
      yield* at(0)
      assert.deepStrictEqual(texts, ["making operators 0/0\n"])
    })
  )
})
