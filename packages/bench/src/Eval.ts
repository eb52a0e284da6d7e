// `pnpm eval <dataset>`: how well the evidence is found, through the service's own routes, on either search engine.
import { Clock, Config, Console, DateTime, Effect, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs/promises"
import type { Access } from "./eval/Access.ts"
import { engines, openSearch, startEngine } from "./eval/Engines.ts"
import { evaluate } from "./eval/Evaluation.ts"
import { formsFigures, readForms } from "./eval/Forms.ts"
import { report, type Result, type Results } from "./eval/Report.ts"
import { findSets, readDataset } from "./eval/Sets.ts"
import { text } from "./Flags.ts"

const dataset = Argument.String("dataset").pipe(
  Argument.withDescription(
    "A .json file of conversations, a .csv file of utterances, or a directory of sets in several languages: docs/retrieval-figures.md"
  )
)
const engine = Flag.Literals("engine", [...engines, "both"]).pipe(
  Flag.withDescription("What searches in the service that is started"),
  Flag.withDefault("both" as const)
)
const url = text(
  "url",
  "Uses a running service instead, with the external token RAPPORT_TOKEN; the data stay there"
)
const CONCURRENCY_MAX = 64
const concurrency = Flag.Int("at-once").pipe(
  Flag.withDescription("Questions sent in parallel"),
  Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: CONCURRENCY_MAX }))),
  Flag.withDefault(2)
)
const json = text("json", "Writes the figures to this file")
const only = text("only", "Of a directory: only these sets, by their names with commas between")

/** Nothing is printed on standard output but the tables. */
export const evaluation = Command.make(
  "eval",
  { dataset, engine, url, concurrency, json, only },
  Effect.fn(
    function* ({ concurrency, dataset, engine, json, only, url }) {
      const sets = yield* findSets(dataset, only.split(",").filter(Boolean))
      const ofForms = sets.filter(({ file }) => file.endsWith(".tsv"))
      const forms = yield* Effect.forEach(ofForms, ({ file, name }) =>
        Effect.map(readForms(file), (read) => ({ set: name, figures: formsFigures(read) }))
      )
      const services = yield* servicesOf(url, engine === "both" ? engines : [engine])
      const results: Array<Result> = []
      for (const { file, name } of sets.filter((one) => !ofForms.includes(one))) {
        const read = yield* readDataset(file)
        for (const [engine, access] of services) {
          yield* Console.error(`${name} on ${engine} …`)
          const figures = Effect.flatMap(access, (access) => measureTime(evaluate(read, access, concurrency)))
          results.push({ set: name, engine, ...(yield* Effect.scoped(figures)) })
        }
      }
      const at = DateTime.formatIso(yield* DateTime.now)
      const document: Results = { at, commit: commitOf(), concurrency, forms, results }
      yield* Console.log(report(document))
      if (json !== "")
        yield* Effect.promise(() => fs.writeFile(json, `${JSON.stringify(document, undefined, 2)}\n`))
    },
    Effect.scoped,
    Effect.catch((error) => refuse(`${error._tag}: ${error.message}`))
  )
).pipe(Command.withDescription("How well the evidence of a data set is found"))

/**
 * What is measured, by name. Every set has its own service, because how rare a word is depends on the texts of its set. One
 * OpenSearch serves all.
 */
const servicesOf = Effect.fnUntraced(function* (url: string, names: ReadonlyArray<(typeof engines)[number]>) {
  if (url !== "") {
    const origin = url.replace(/\/+$/u, "")
    const token = yield* Config.Redacted("RAPPORT_TOKEN")
    return [[origin, Effect.succeed<Access>({ origin, token })] as const]
  }
  const address = names.includes("opensearch") ? yield* openSearch : undefined
  return names.map((name) => [name, startEngine(name === "opensearch" ? address : undefined)] as const)
})

/** A wrong file, a missing Java or a missing permission is one line without a stack. */
const refuse = (message: string) =>
  Effect.andThen(
    Console.error(message),
    Effect.sync(() => {
      process.exitCode = 1
    })
  )

const measureTime = <A, E, R>(evaluated: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const begin = yield* Clock.currentTimeMillis
    const figures = yield* evaluated
    return { figures, seconds: Math.round(((yield* Clock.currentTimeMillis) - begin) / 1_000) }
  })

const commitOf = (): string | null => {
  const { status, stdout } = spawnSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" })
  return status === 0 ? stdout.trim() : null
}
