// `pnpm eval <dataset>`: how well the evidence is found, through the service's own routes, on either search engine.
import { Clock, Config, Console, Data, DateTime, Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { text } from "./Flags.ts"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs/promises"
import type { Account } from "./eval/Account.ts"
import { type Engine, engines, startEngine } from "./eval/Engines.ts"
import { evaluate, type EvaluationPlan, type ReadDataset, readDataset } from "./eval/Evaluation.ts"
import { evaluateLanguages } from "./eval/languages/LanguageEval.ts"
import { report, type Result, type Results } from "./eval/Report.ts"

const dataset = Argument.String("dataset").pipe(
  Argument.withDescription(
    "A .json file of conversations, a .csv file of utterances, or a directory of sets in several languages: docs/retrieval-figures.md"
  )
)
const engine = Flag.Literals("engine", [...engines, "both"]).pipe(
  Flag.withDescription("What searches in the service that is started"),
  Flag.withDefault("both" as const)
)
const url = Flag.String("url").pipe(
  Flag.withDescription(
    "Uses a running service instead, with RAPPORT_TOKEN, or RAPPORT_LOGIN and RAPPORT_PASSWORD; the data stay there"
  ),
  Flag.optional
)
const CONCURRENCY_MAX = 64
const concurrency = Flag.Int("at-once").pipe(
  Flag.withDescription("Questions sent in parallel"),
  Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: CONCURRENCY_MAX }))),
  Flag.withDefault(2)
)
const json = Flag.String("json").pipe(Flag.withDescription("Writes the figures to this file"), Flag.optional)
const only = text("only", "Of a directory: only these sets, by their names with commas between")

/** Nothing is printed on standard output but the tables. */
export const evaluation = Command.make(
  "eval",
  { dataset, engine, url, concurrency, json, only },
  Effect.fn(
    function* (flags) {
      if (yield* isDirectory(flags.dataset)) {
        const results = yield* evaluateLanguages({
          directory: flags.dataset,
          only: flags.only.split(",").filter((name) => name !== ""),
          engines: enginesOf(flags.engine),
          concurrency: flags.concurrency,
          commit: commitOf()
        })
        return yield* write(flags.json, results)
      }
      const read = yield* readDataset(flags.dataset)
      const measured: Array<Result> = []
      if (Option.isSome(flags.url)) {
        const origin = flags.url.value.replace(/\/+$/u, "")
        measured.push(
          yield* timed(origin, read, { origin, account: yield* givenAccount, concurrency: flags.concurrency })
        )
      } else {
        for (const name of enginesOf(flags.engine)) {
          yield* Console.error(`starting the service on ${name} …`)
          const result = Effect.gen(function* () {
            const running = yield* startEngine(name)
            return yield* timed(name, read, { ...running, concurrency: flags.concurrency })
          })
          measured.push(yield* Effect.scoped(result))
        }
      }
      const results: Results = {
        dataset: read.name,
        at: DateTime.formatIso(yield* DateTime.now),
        commit: commitOf(),
        concurrency: flags.concurrency,
        results: measured
      }
      yield* Console.log(report(results))
      yield* write(flags.json, results)
    },
    Effect.catch((error) => refuse(`${error._tag}: ${error.message}`))
  )
).pipe(Command.withDescription("How well the evidence of a data set is found"))

const enginesOf = (engine: Engine | "both"): ReadonlyArray<Engine> => (engine === "both" ? engines : [engine])

const isDirectory = (file: string) =>
  Effect.promise(() =>
    fs.stat(file).then(
      (found) => found.isDirectory(),
      () => false
    )
  )

/** A wrong file, a missing Java or a missing permission is one line without a stack. */
const refuse = (message: string) =>
  Effect.andThen(
    Console.error(message),
    Effect.sync(() => {
      process.exitCode = 1
    })
  )

const timed = Effect.fnUntraced(function* (engine: string, read: ReadDataset, plan: EvaluationPlan) {
  const begin = yield* Clock.currentTimeMillis
  const figures = yield* evaluate(read, plan)
  const result: Result = {
    engine,
    seconds: Math.round(((yield* Clock.currentTimeMillis) - begin) / 1_000),
    figures
  }
  return result
})

class NoAccount extends Data.TaggedError("NoAccount")<{ readonly message: string }> {}

const givenAccount = Effect.gen(function* () {
  const token = yield* Config.option(Config.Redacted("RAPPORT_TOKEN"))
  if (Option.isSome(token)) return { _tag: "Token", token: token.value } satisfies Account
  const login = yield* Config.option(Config.String("RAPPORT_LOGIN"))
  const password = yield* Config.option(Config.Redacted("RAPPORT_PASSWORD"))
  if (Option.isSome(login) && Option.isSome(password))
    return { _tag: "Login", login: login.value, password: password.value } satisfies Account
  return yield* new NoAccount({ message: "set RAPPORT_TOKEN, or RAPPORT_LOGIN and RAPPORT_PASSWORD" })
})

const commitOf = (): string | null => {
  const { status, stdout } = spawnSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" })
  return status === 0 ? stdout.trim() : null
}

const write = (file: Option.Option<string>, results: unknown) =>
  Option.isSome(file)
    ? Effect.promise(() => fs.writeFile(file.value, `${JSON.stringify(results, undefined, 2)}\n`))
    : Effect.void
