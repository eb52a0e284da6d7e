// Sends one question over HTTP: returns the pack with its duration and size.
import { AcceptedType, Client, retryLimited } from "@rapport/contract/Client.ts"
import { ContextPack } from "@rapport/contract/context/ContextPack.ts"
import { RateLimited } from "@rapport/contract/Errors.ts"
import { QUERY_POINTS_MAX } from "@rapport/contract/Limits.ts"
import type { ContextRequest } from "@rapport/contract/context/ContextRequest.ts"
import { Data, Duration, Effect, Schedule, Schema } from "effect"
import { countTokens } from "gpt-tokenizer/encoding/o200k_base"
import { markdownAnswer } from "./MarkdownAnswer.ts"

export const packForms = ["json", "markdown"] as const
export type PackForm = (typeof packForms)[number]

/** The service returned no pack. */
export class NotAnswered extends Data.TaggedError("NotAnswered")<{
  readonly status: number
  readonly message: string
}> {}

const decodePack = Schema.decodeUnknownEffect(Schema.fromJsonString(ContextPack))
const decodeRefusal = Schema.decodeUnknownEffect(Schema.fromJsonString(RateLimited))

const jsonAnswer = Effect.fnUntraced(function* (text: string) {
  const { citations, coverage, sections } = yield* decodePack(text)
  return {
    appeals: (sections.evidence?.appeals ?? []).map(({ appealId, snippets }) => ({
      appealId,
      snippets: snippets.flatMap(({ messageId, text }) => (messageId === null ? [] : [{ messageId, text }]))
    })),
    facts: citations.length,
    reasons: coverage.reasons
  }
})

/** The scope and query of a request. Absent sections and limits are the defaults. */
export type Asking = Pick<
  ContextRequest,
  "scope" | "targets" | "topK" | "maxSnippetsPerAppeal" | "tokenBudget" | "maxResponseBytes" | "timeoutMs"
> & { readonly query: string }

/** A query above its limit is cut to it. */
export const ask = Effect.fn("Asking.ask")(function* (asking: Asking, form: PackForm = "json") {
  const { context } = yield* Client
  const query = [...asking.query.trim()].slice(0, QUERY_POINTS_MAX).join("")
  const once = Effect.gen(function* () {
    const [took, { status, text }] = yield* Effect.timed(
      Effect.gen(function* () {
        const response = yield* context
          .retrieveContext({ payload: { ...asking, query }, responseMode: "response-only" })
          .pipe(Effect.provideService(AcceptedType, form === "markdown" ? "text/markdown" : undefined))
        return { status: response.status, text: yield* response.text }
      })
    )
    if (status === 429) return yield* Effect.flatMap(decodeRefusal(text), Effect.fail)
    if (status !== 200) return yield* new NotAnswered({ status, message: `${status} ${text.slice(0, 500)}` })
    return { took, text, shown: form === "markdown" ? markdownAnswer(text) : yield* jsonAnswer(text) }
  })
  const { shown, text, took } = yield* retryLimited(once).pipe(
    // A source was unavailable, or a deadline passed.
    Effect.retry({
      while: (error) => error._tag === "NotAnswered" && error.status === 503,
      times: 2,
      schedule: Schedule.spaced("1 second")
    })
  )
  return {
    /** By rank, each with the messages that its snippets are of. */
    appeals: shown.appeals.map(({ appealId, snippets }) => ({
      appealId,
      messageIds: snippets.map(({ messageId }) => messageId),
      texts: snippets.map((one) => one.text)
    })),
    /** Citations. */
    facts: shown.facts,
    /** From the request to the last byte of the answer. */
    millis: Duration.toMillis(took),
    bytes: Buffer.byteLength(text),
    /** Of o200k_base. */
    tokens: countTokens(text, { disallowedSpecial: new Set() }),
    /** Whether the budget dropped nothing. */
    isWhole: !shown.reasons.includes("pack_budget"),
    /** Why it is partial, other than the budget. */
    reasons: shown.reasons.filter((reason) => reason !== "pack_budget")
  }
})
export type Answered = Effect.Success<ReturnType<typeof ask>>
