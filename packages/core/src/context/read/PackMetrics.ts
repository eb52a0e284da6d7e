// The metrics of packs.
import type { CoverageDetail } from "@rapport/contract/context/ContextPack.ts"
import type { ContextSection } from "@rapport/contract/context/ContextRequest.ts"
import { Effect, Metric } from "effect"
import { memoize } from "../../values/Memoize.ts"
import type { MeasuredAnswer } from "../pack/PackForm.ts"

/** One metric for each series: `withAttributes` would merge and sort attributes for every value. */
const sectionCounter = (section: string, outcome: Outcome) =>
  Metric.counter("rapport.context.sections", {
    description:
      "sections of packs, by outcome: complete, trimmed to the budget, or unavailable in whole or part",
    incremental: true,
    attributes: { section, outcome }
  })
const bytesHistogram = Metric.histogram("rapport.context.pack_bytes", {
  description: "bytes of a pack",
  boundaries: [1_024, 2_048, 4_096, 8_192, 16_384, 32_768, 65_536, 131_072, 262_144]
})
const tokensHistogram = Metric.histogram("rapport.context.pack_tokens", {
  description: "estimated tokens of a pack",
  boundaries: [64, 125, 250, 500, 1_000, 2_000, 4_000, 8_000]
})

const seriesOf = memoize((section: ContextSection) =>
  memoize((outcome: Outcome) => sectionCounter(section, outcome))
)

/** The worst outcome of a section in the coverage. */
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

/** A rendered pack with its coverage. */
export interface WrittenPack {
  readonly answer: MeasuredAnswer
  readonly details: ReadonlyArray<CoverageDetail>
}

/** Reports a pack with these sections. */
export const reportPack = (
  sections: Iterable<ContextSection>,
  { answer, details }: WrittenPack
): Effect.Effect<void> =>
  Effect.contextWith((context) =>
    Effect.sync(() => {
      for (const section of sections) seriesOf(section)(outcomeOf(section, details)).updateUnsafe(1, context)
      bytesHistogram.updateUnsafe(answer.bytes, context)
      tokensHistogram.updateUnsafe(answer.tokens, context)
    })
  )

/** How much of a section a pack shows. */
type Outcome = "complete" | "trimmed" | "unavailable"
