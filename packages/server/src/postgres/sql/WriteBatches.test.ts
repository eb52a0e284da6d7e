// What comes together is one statement. Of the rows of one state who may still win waits for nobody who has lost.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { setImmediate, setTimeout } from "node:timers/promises"
import { LOCKED, makeWriteBatches, type Turn } from "./WriteBatches.ts"

interface Outcome {
  readonly won: boolean
  readonly version: number
}

/** States at version 1, and statements that end when they are told to. */
const made = () => {
  const versions = new Map<string, number>()
  const statements: Array<{ readonly rows: ReadonlyArray<string>; readonly end: () => void }> = []
  const heard: Array<string> = []
  const waited: Array<string> = []
  const batched = Effect.runSync(
    makeWriteBatches<Outcome>((_, rows) =>
      Effect.callback((resume) => {
        // As PostgreSQL does: what stands when it begins is what counts, and of several the first wins.
        const end = () => resume(Effect.succeed(rows.map(judged)))
        statements.push({ rows, end })
      })
    )
  )
  const standing = new Map<string, number>()
  const judged = (row: string): Outcome => {
    const [state = "", expected] = row.split(" ")
    const version = standing.get(state) ?? 1
    const won = Number(expected) === version
    if (won) standing.set(state, version + 1)
    return { won, version: standing.get(state) ?? 1 }
  }
  /** A writer of `state` who expects a version. */
  const ask = (state: string, expected: number, who: string, key = 1): void => {
    const turn = {
      key,
      of: state,
      isLost: () => expected < (versions.get(state) ?? 0),
      heard: ({ version, won }: Outcome) => {
        versions.set(state, version)
        return !won
      },
      waits: () => void waited.push(who)
    }
    const row = `${state} ${expected} ${who}`
    Effect.runFork(
      Effect.map(batched(1, row, turn), ({ version, won }) =>
        heard.push(`${who} ${won ? "won" : "lost"} ${version}`)
      )
    )
  }
  const names = (at: number) => statements[at]?.rows.map((row) => row.split(" ")[2])
  return { ask, heard, names, statements, waited }
}
/** Ends a statement, and lets all hear of it. */
const ended = async ({ statements }: ReturnType<typeof made>, at: number) => {
  statements[at]?.end()
  for (let turns = 0; turns < 20; turns++) await setImmediate()
}

/** Rows that no other waits for, and statements that end when they are told to. */
const free = () => {
  const statements: Array<{ readonly rows: ReadonlyArray<string>; readonly end: () => void }> = []
  const batched = Effect.runSync(
    makeWriteBatches<string>((_, rows) =>
      Effect.callback((resume) => {
        statements.push({ rows, end: () => resume(Effect.succeed(rows)) })
      })
    )
  )
  /** In one turn of the event loop, which ends. */
  const ask = async (...names: ReadonlyArray<string>) => {
    const fibers = names.map((name) => Effect.runFork(batched(1, name)))
    await setImmediate()
    return fibers
  }
  const end = async (at: number) => {
    statements[at]?.end()
    for (let turns = 0; turns < 5; turns++) await setImmediate()
  }
  const begun = () => statements.map(({ rows }) => rows.join(" "))
  return { ask, batched, begun, end }
}

describe("rows of one instance", () => {
  it("that come in one turn of the event loop are one statement", async () => {
    const { ask, begun, end } = free()
    const fibers = await ask("a", "b", "c")
    assert.deepStrictEqual(begun(), ["a b c"])
    await end(0)
    assert.deepStrictEqual(await Effect.runPromise(Fiber.joinAll(fibers)), ["a", "b", "c"])
  })

  it("begin beside a statement when they are as many as that has, and else when it ends", async () => {
    const { ask, begun, end } = free()
    await ask("a", "b")
    await ask("c")
    assert.deepStrictEqual(begun(), ["a b"])
    await ask("d")
    assert.deepStrictEqual(begun(), ["a b", "c d"])
    await ask("e", "f", "g")
    assert.lengthOf(begun(), 2, "two at once")
    await end(1)
    assert.deepStrictEqual(begun().slice(2), ["e f g"])
    await ask("h")
    await end(0)
    assert.lengthOf(begun(), 3)
    await end(2)
    assert.deepStrictEqual(begun().slice(3), ["h"])
  })

  it("that come in the turn in which a statement ends go into the next", async () => {
    const { ask, batched, begun, end } = free()
    const again = Effect.andThen(
      Effect.promise(() => Promise.resolve()),
      batched(1, "d")
    )
    Effect.runFork(Effect.andThen(batched(1, "a"), again))
    await ask("b")
    await ask("c")
    await end(0)
    assert.deepStrictEqual(begun(), ["a b", "c d"])
  })

  it("are two statements at once where one does not take them all", async () => {
    const { ask, begun } = free()
    const long = "a".repeat(200 * 1024)
    await ask(long, `${long}b`, "c")
    assert.deepStrictEqual(
      begun().map((rows) => rows.length),
      [long.length, long.length + "b c".length]
    )
  })

  it("do not wait for the end of a statement that is slow", async () => {
    const { ask, begun } = free()
    await ask("a", "b", "c")
    await ask("d")
    for (let tries = 0; tries < 100 && begun().length < 2; tries++) await setTimeout(10)
    assert.deepStrictEqual(begun(), ["a b c", "d"])
  })

  it("whose callers leave before a statement begins are in none", async () => {
    const { ask, begun, end } = free()
    await ask("a", "b")
    const [left] = await ask("c")
    if (left !== undefined) await Effect.runPromise(Fiber.interrupt(left))
    await end(0)
    await ask("d")
    assert.deepStrictEqual(begun(), ["a b", "d"])
  })
})

/** Rows of which those in `held` need what another transaction holds; a statement that may wait for it ends when it is told to. */
const holding = () => {
  const held = new Set<string>()
  const statements: Array<string> = []
  const ends: Array<() => void> = []
  const batched = Effect.runSync(
    makeWriteBatches<string>((_, rows, mayWait) =>
      Effect.callback((resume) => {
        statements.push(`${rows.join(" ")}${mayWait ? " waits" : ""}`)
        const end = () =>
          resume(Effect.succeed(rows.map((row) => (held.has(row) && !mayWait ? LOCKED : row))))
        if (mayWait) ends.push(end)
        else end()
      })
    )
  )
  const ask = async (...rows: ReadonlyArray<string | readonly [name: string, turn: Turn<string>]>) => {
    const told: Array<string> = []
    const fibers = rows.map((row) => {
      const [name, turn] = typeof row === "string" ? [row] : row
      return Effect.runFork(Effect.map(batched(1, name, turn), (outcome) => told.push(outcome)))
    })
    for (let turns = 0; turns < 5; turns++) await setImmediate()
    return { fibers, told }
  }
  return { ask, ends, held, statements }
}

describe("rows that need what another transaction holds", () => {
  it("keep no others waiting, and wait together in one statement", async () => {
    const { ask, ends, held, statements } = holding()
    for (const row of ["a", "b", "c", "d"]) held.add(row)
    const first = await ask("a", "x")
    assert.deepStrictEqual([statements, first.told], [["a x", "a waits"], ["x"]])
    const more = [await ask("b"), await ask("c", "y"), await ask("d"), await ask("z")]
    assert.deepStrictEqual(statements.slice(2), ["b", "c y", "d", "z"], "whatever waits")
    ends[0]?.()
    const last = await ask()
    assert.deepStrictEqual(statements.slice(6), ["b c d waits"])
    assert.deepStrictEqual(first.told, ["x", "a"])
    ends[1]?.()
    await ask()
    assert.deepStrictEqual([...more, last].flatMap(({ told }) => told).toSorted(), ["b", "c", "d", "y", "z"])
    held.clear()
    assert.deepStrictEqual((await ask("a")).told, ["a"])
    assert.deepStrictEqual(statements.slice(7), ["a"])
  })

  it("leave their turn to others, and are told that they wait", async () => {
    const { ask, ends, held, statements } = holding()
    held.add("a")
    const waited: Array<string> = []
    const turn = (of: string) => ({
      key: 1,
      of,
      isLost: () => false,
      heard: () => false,
      waits: () => void waited.push(of)
    })
    const first = await ask(["a", turn("a")])
    const second = await ask(["b", turn("b")])
    assert.deepStrictEqual([statements, second.told, waited], [["a", "a waits", "b"], ["b"], ["a"]])
    ends[0]?.()
    await ask()
    assert.deepStrictEqual(first.told, ["a"])
  })

  it("whose callers leave are in no further statement", async () => {
    const { ask, ends, held, statements } = holding()
    for (const row of ["a", "b", "c"]) held.add(row)
    await ask("a")
    const { fibers } = await ask("b", "c")
    if (fibers[0] !== undefined) await Effect.runPromise(Fiber.interrupt(fibers[0]))
    ends[0]?.()
    await ask()
    assert.deepStrictEqual(statements, ["a", "a waits", "b c", "c waits"])
  })
})

describe("writers of one state", () => {
  it("are never in two statements while they may win", async () => {
    const batches = made()
    batches.ask("a", 1, "first")
    batches.ask("b", 1, "second", 3)
    assert.lengthOf(batches.statements, 1)
    await ended(batches, 0)
    assert.deepStrictEqual(batches.names(1), ["second"], "another state whose turn is the same")
  })

  it("who may win wait for no statement of those that have lost", async () => {
    const batches = made()
    batches.ask("a", 1, "winner")
    batches.ask("a", 1, "late")
    await ended(batches, 0)
    assert.deepStrictEqual(batches.heard, ["winner won 2"])
    assert.deepStrictEqual(batches.names(1), ["late"])
    batches.ask("a", 2, "next")
    assert.deepStrictEqual(batches.names(2), ["next"])
    await ended(batches, 2)
    await ended(batches, 1)
    assert.deepStrictEqual(batches.heard.slice(1), ["next won 3", "late lost 3"])
  })

  it("who have lost go along with who may win, and learn what that makes", async () => {
    const batches = made()
    for (const who of ["winner", "late"]) batches.ask("a", 1, who)
    await ended(batches, 0)
    batches.ask("a", 1, "later")
    batches.ask("a", 2, "next")
    assert.deepStrictEqual(batches.names(1), ["late"])
    assert.deepStrictEqual(batches.names(2), ["later", "next"])
    await ended(batches, 1)
    await ended(batches, 2)
    assert.includeMembers(batches.heard, ["next won 3"])
    assert.lengthOf(batches.heard, 4, "nobody is left behind")
  })

  it("who have lost and wait for a statement are served when it ends, whoever comes after", async () => {
    const batches = made()
    for (const who of ["winner", "late"]) batches.ask("a", 1, who)
    await ended(batches, 0)
    batches.ask("a", 2, "next")
    batches.ask("a", 1, "later")
    assert.lengthOf(batches.statements, 3, "it learns what the next one makes")
    await ended(batches, 1)
    await ended(batches, 2)
    assert.deepStrictEqual(batches.names(3), ["later"])
    await ended(batches, 3)
    assert.deepStrictEqual(batches.heard.at(-1), "later lost 3")
  })

  it("hear of it one in a turn of the event loop, in their order; those of another state at once", async () => {
    const batches = made()
    batches.ask("b", 1, "before", 3)
    for (const who of ["first", "second", "third"]) batches.ask("a", 1, who)
    batches.ask("c", 1, "other", 5)
    await ended(batches, 0)
    assert.deepStrictEqual(batches.names(1), ["first", "second", "third", "other"])
    batches.heard.length = 0
    batches.statements[1]?.end()
    await Promise.resolve()
    assert.deepStrictEqual(batches.heard, ["other won 2", "first won 2"])
    await setImmediate()
    assert.deepStrictEqual(batches.heard.slice(2), ["second lost 2"])
    await setImmediate()
    assert.deepStrictEqual(batches.heard.slice(3), ["third lost 2"])
  })

  it("are told that they wait where others are served first", () => {
    const batches = made()
    for (const who of ["first", "second"]) batches.ask("a", 1, who)
    assert.deepStrictEqual(batches.waited, ["second"])
  })
})
