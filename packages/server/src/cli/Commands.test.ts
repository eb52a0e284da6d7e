// Every command that contract §11 names is there, says how it is used, and takes --json.
import { NodeServices } from "@effect/platform-node"
import { assert, it } from "@effect/vitest"
import { Console, Effect, Exit, Stdio } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { runRapport } from "./Rapport.ts"

const contract = fs.readFileSync(
  path.resolve(import.meta.dirname, "../../../../docs/contract/11-running.md"),
  "utf8"
)
/** "serve, mcp, user (`create`, `list`)" of the section about the command line. */
const listed = /`rapport <command>`: ([^]*?)\.\n\n/u.exec(contract)?.[1]?.replaceAll(/\s+/gu, " ") ?? ""
const commands = [...listed.matchAll(/([a-z]+)(?: \(([^)]*)\))?(?:, |$)/gu)].flatMap(([, name = "", inner]) =>
  inner === undefined
    ? [[name]]
    : [...inner.matchAll(/`([a-z][a-z-]*)[^`]*`/gu)].map(([, sub = ""]) => [name, sub])
)

const outputOf = (args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const printed: Array<string> = []
    const print = (...parts: ReadonlyArray<unknown>) => void printed.push(parts.join(" "))
    const exit = yield* Effect.exit(runRapport).pipe(
      Effect.provideService(Console.Console, { ...globalThis.console, log: print, error: print }),
      Effect.provide(Stdio.layerTest({ args: Effect.succeed(args) })),
      Effect.provide(NodeServices.layer)
    )
    return { isDone: Exit.isSuccess(exit), text: printed.join("\n") }
  })

it("the commands of the contract are found in its text", () => {
  assert.isAbove(commands.length, 25)
  assert.deepInclude(commands, ["client", "erase"])
  assert.deepInclude(commands, ["restore"])
})

it.effect.each(commands.map((words) => [words.join(" "), words] as const))(
  "rapport %s has its usage line",
  ([, words]) =>
    Effect.gen(function* () {
      const { isDone, text } = yield* outputOf([...words, "--help"])
      assert.isTrue(isDone, text)
      assert.match(text, new RegExp(`USAGE\\s+rapport ${words.join(" ")}`, "u"))
      assert.include(text, "--json")
    })
)

it.effect("commands that need arguments show them in the contract", () =>
  Effect.gen(function* () {
    const { text: mcp } = yield* outputOf(["mcp", "--help"])
    for (const needed of ["EXAMPLES", "RAPPORT_URL", "RAPPORT_TOKEN"]) assert.include(mcp, needed)
    const { text: serve } = yield* outputOf(["serve", "--help"])
    for (const needed of ["EXAMPLES", "PORT", "DATABASE_URL"]) assert.include(serve, needed)
    const { text: rebuild } = yield* outputOf(["index", "rebuild", "--help"])
    for (const needed of ["EXAMPLES", "evidence", "client-memory"]) assert.include(rebuild, needed)
  })
)
