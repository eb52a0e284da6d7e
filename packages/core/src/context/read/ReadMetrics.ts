// What context reads report: the outcome of each section, and how large the packs are.
import type { CoverageDetail } from "@rapport/contract/context/ContextPack.ts"
import { Effect, Metric } from "effect"
import type { PackDraft } from "../pack/PackDraft.ts"
import type { PackForm } from "../pack/PackForm.ts"
import type { ContextPlan } from "./ContextPlan.ts"

const outcomes = ["complete", "trimmed", "unavailable"] as const
type Outcome = (typeof outcomes)[number]

const sectionCounter = Metric.counter("rapport.context.sections", {
  description:
    "sections of packs, by outcome: complete, trimmed to the budget, or unavailable in whole or part",
  incremental: true
})
const bytesHistogram = Metric.histogram("rapport.context.pack_bytes", {
  description: "bytes of a pack",
  boundaries: [1_024, 2_048, 4_096, 8_192, 16_384, 32_768, 65_536, 131_072, 262_144]
})
const tokensHistogram = Metric.histogram("rapport.context.pack_tokens", {
  description: "estimated tokens of a pack",
  boundaries: [64, 125, 250, 500, 1_000, 2_000, 4_000, 8_000]
})

const sectionSeries = new Map<string, Metric.Counter<number>>()
const seriesOf = (section: string, outcome: Outcome): Metric.Counter<number> => {
  const key = `${section} ${outcome}`
  const made = sectionSeries.get(key) ?? Metric.withAttributes(sectionCounter, { section, outcome })
  sectionSeries.set(key, made)
  return made
}

/** The worst of what coverage says of a section. */
const outcomeOf = (section: string, details: ReadonlyArray<CoverageDetail>): Outcome => {
  let outcome: Outcome = "complete"
  for (const { reason, section: of } of details) {
    if (of !== section) continue
    if (reason === "source_unavailable" || reason === "timeout" || reason === "client_memory_not_ready")
      return "unavailable"
    if (reason === "pack_budget") outcome = "trimmed"
  }
  return outcome
}

/** A form that keeps what became of the draft: a form answers once. */
export const observed = (form: PackForm) => {
  let shown: PackDraft | undefined
  const answer: PackForm["answer"] = (cut) => {
    shown = cut
    return form.answer(cut)
  }
  return { form: { ...form, answer }, shown: () => shown }
}

/** Reports a pack that leaves. */
export const reportPack = (
  { sections }: ContextPlan,
  form: PackForm,
  shown: PackDraft | undefined
): Effect.Effect<void> =>
  Effect.contextWith((context) =>
    Effect.sync(() => {
      if (shown === undefined) return
      for (const section of sections) {
        seriesOf(section, outcomeOf(section, shown.coverage.details)).updateUnsafe(1, context)
      }
      const tokens = form.tokens(shown)
      bytesHistogram.updateUnsafe(form.bytes(shown, tokens), context)
      tokensHistogram.updateUnsafe(tokens, context)
    })
  )
