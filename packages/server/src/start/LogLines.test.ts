// Log lines of a start: on a terminal, and in the log of a service.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import { logLines } from "./LogLines.ts"
import { progress } from "./Progress.ts"

const firstStart = Effect.gen(function* () {
  yield* Effect.logInfo("settings:", { PORT: "8096", RAPPORT_DATA_DIR: "/srv/дані" })
  for (const [what, unit] of [
    ["seeding the demo data", "rows"],
    ["indexing", "appeals"]
  ] as const) {
    const { finished, reached } = yield* progress(what, unit)
    for (const built of [500, 1_000, 1_500]) {
      yield* TestClock.adjust("1 second")
      yield* reached({ built, total: 1_500 })
    }
    yield* finished
  }
  yield* Effect.logWarning("RAPPORT_POLL_SIZE is no setting")
})

/** The text that is written while `program` runs, without times. */
const logTextOf = <E>(output: Parameters<typeof logLines>[0], program: Effect.Effect<void, E>) =>
  Effect.gen(function* () {
    const linesOf = logLines(output)
    const texts: Array<string> = []
    const logger = Logger.make((record) => void texts.push(linesOf(record) ?? ""))
    yield* Effect.provide(program, Logger.layer([logger]))
    return texts.join("").replaceAll(/\d\d:\d\d:\d\d {2}/gu, "")
  })

/** The lines that a terminal shows of a text that moves up and clears lines. */
const visibleLinesOf = (text: string): ReadonlyArray<string> =>
  text.split("\n").reduce<ReadonlyArray<string>>((lines, line) => {
    const cleared = line.split("\u001b[1A\u001b[2K")
    return [...lines.slice(0, lines.length - (cleared.length - 1)), cleared.at(-1) ?? ""]
  }, [])

const finalLines = [
  "settings: PORT=8096 RAPPORT_DATA_DIR=/srv/дані",
  "seeding the demo data: 1,500 rows in 3.0 s",
  "indexing: 1,500 appeals in 3.0 s",
  "warning: RAPPORT_POLL_SIZE is no setting",
  ""
]

describe("the log of a first start", () => {
  it.effect("the log of a first start is one plain line for each step on a terminal", () =>
    Effect.gen(function* () {
      const text = yield* logTextOf({ format: "pretty", isTerminal: true }, firstStart)
      assert.deepStrictEqual(visibleLinesOf(text), finalLines)
      assert.include(text, "seeding the demo data: 500 of 1,500 rows\n", "the line moves meanwhile")
      assert.notMatch(text, /[{}]/u)
    })
  )

  it.effect("the log of a first start has the begin and the end of each step in a file", () =>
    Effect.gen(function* () {
      const text = yield* logTextOf({ format: "pretty", isTerminal: false }, firstStart)
      const [settings, seeded, indexed, ...others] = finalLines
      const begun = ["seeding the demo data: 500 of 1,500 rows", "indexing: 500 of 1,500 appeals"]
      assert.deepStrictEqual(text.split("\n"), [settings, begun[0], seeded, begun[1], indexed, ...others])
    })
  )

  it.effect("the log of a first start is one JSON document on each line for a service", () =>
    Effect.gen(function* () {
      const text = yield* logTextOf({ format: "json", isTerminal: false }, firstStart)
      const messages = text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line).message)
      assert.lengthOf(messages, 6)
      assert.deepStrictEqual(messages[0], ["settings:", { PORT: "8096", RAPPORT_DATA_DIR: "/srv/дані" }])
    })
  )

  it.effect("the log shows an error with its cause", () =>
    Effect.gen(function* () {
      const text = yield* logTextOf(
        { format: "pretty", isTerminal: true },
        Effect.logError("a defect", new Error("немає місця")).pipe(Effect.annotateLogs("requestId", "r-1"))
      )
      assert.match(text, /^error: a defect .*requestId=r-1/su)
      assert.include(text, "Error: немає місця\n")
    })
  )
})
