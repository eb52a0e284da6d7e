// `pnpm eval DIRECTORY`: every set of a directory, each in an instance of its own, tables per language.
import { Console, Data, DateTime, Effect } from "effect"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs/promises"
import { type Engine, openSearchUrl, startEngine } from "../Engines.ts"
import { program } from "../../Started.ts"
import { readDataset } from "../Evaluation.ts"
import { formsFigures, formsOf } from "./Forms.ts"
import { type LanguageResults, type SetFigures, setFigures } from "./LanguageFigures.ts"
import { languageReport } from "./LanguageReport.ts"
import { type LanguageSet, readSets } from "./LanguageSets.ts"

const STEMS_BYTES_MAX = 1 << 26

export interface LanguagePlan {
  readonly directory: string
  readonly only: ReadonlyArray<string>
  readonly engines: ReadonlyArray<Engine>
  readonly concurrency: number
  readonly commit: string | null
}

export const evaluateLanguages = Effect.fn("LanguageEval.evaluate")(function* (plan: LanguagePlan) {
  const { forms, questions } = yield* readSets(plan.directory, plan.only)
  const formed = yield* Effect.forEach(forms, ofForms)
  const sets = questions.length === 0 ? [] : yield* askAll(plan, questions)
  const languages = new Set([...formed, ...questions].map(({ language }) => language))
  const results: LanguageResults = {
    at: DateTime.formatIso(yield* DateTime.now),
    commit: plan.commit,
    concurrency: plan.concurrency,
    languages: [...languages].toSorted().map((language) => ({
      language,
      forms: formed.find((one) => one.language === language)?.figures ?? null,
      sets: sets.flatMap((one) => (one.language === language ? [one.figures] : []))
    }))
  }
  yield* Console.log(languageReport(results))
  return results
})

class NoStems extends Data.TaggedError("NoStems")<{ readonly message: string }> {}

const ofForms = Effect.fnUntraced(function* ({ file, language }: LanguageSet) {
  const forms = formsOf(yield* Effect.promise(() => fs.readFile(file, "utf8")))
  const words = [...new Set(forms.map(({ form }) => form))]
  const { status, stderr, stdout } = spawnSync(process.execPath, [program("scripts/stems.ts")], {
    input: words.join("\n"),
    encoding: "utf8",
    maxBuffer: STEMS_BYTES_MAX
  })
  if (status !== 0) return yield* new NoStems({ message: stderr })
  const stems = stdout.split("\n")
  const stemOf = new Map(words.map((word, at) => [word, stems[at] ?? ""]))
  return { language, figures: formsFigures(forms, (form) => stemOf.get(form) ?? form) }
})

/** One OpenSearch for all sets, and a service for each: how rare a word is depends on the texts of its own set. */
const askAll = Effect.fnUntraced(function* (
  { concurrency, engines }: LanguagePlan,
  questions: ReadonlyArray<LanguageSet>
) {
  const url = engines.includes("opensearch") ? yield* openSearchUrl : undefined
  const pairs = questions.flatMap((set) => engines.map((engine) => ({ set, engine })))
  return yield* Effect.forEach(pairs, ({ engine, set: { file, language, name } }) => {
    const figures = Effect.gen(function* () {
      yield* Console.error(`starting the service on ${engine} for ${name} …`)
      const read = yield* readDataset(file)
      const running = yield* startEngine(engine, url)
      return yield* setFigures(read, { name, engine, language }, { ...running, concurrency })
    })
    return Effect.map(Effect.scoped(figures), (figures: SetFigures) => ({ language, figures }))
  })
}, Effect.scoped)
