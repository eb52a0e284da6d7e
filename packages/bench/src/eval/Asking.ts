// Sends one question over HTTP: returns the pack with its duration and size.
import { Accepting, Client } from "@rapport/contract/Client.ts"
import { ContextPack } from "@rapport/contract/context/ContextPack.ts"
import { RateLimited } from "@rapport/contract/Errors.ts"
import { QUERY_POINTS_MAX } from "@rapport/contract/Limits.ts"
import type { ContextRequest } from "@rapport/contract/context/ContextRequest.ts"
import { Data, Duration, Effect, Schedule, Schema } from "effect"
import { countTokens } from "gpt-tokenizer/encoding/o200k_base"
import { retryLimited } from "./Account.ts"
import { type MarkdownAnswer, markdownAnswer } from "./MarkdownAnswer.ts"

/** An appeal that stood, and the messages that its snippets are of. */
export interface RankedAppeal {
  readonly appealId: number
  readonly messageIds: ReadonlyArray<number>
  /** Of the messages, as they are stored. */
  readonly texts: ReadonlyArray<string>
}

export const packForms = ["json", "markdown"] as const
export type PackForm = (typeof packForms)[number]

export interface Answered {
  /** By rank. */
  readonly appeals: ReadonlyArray<RankedAppeal>
  /** From the request to the last byte of the answer. */
  readonly millis: number
  readonly bytes: number
  /** Of o200k_base. */
  readonly tokens: number
  /** Citations. */
  readonly facts: number
  /** Whether the budget dropped nothing. */
  readonly isWhole: boolean
  /** Why it is partial, the budget apart. */
  readonly reasons: ReadonlyArray<string>
}

/** No pack came, for a reason that another try does not change. */
export class NotAnswered extends Data.TaggedError("NotAnswered")<{ readonly message: string }> {}

/** 503: a source was unavailable, or a deadline passed. */
class Unavailable extends Data.TaggedError("Unavailable")<{ readonly took: Duration.Duration }> {}
const UNAVAILABLE_TRIES_MAX = 3
const UNAVAILABLE_MILLIS = 1_000

const decodePack = Schema.decodeUnknownEffect(Schema.fromJsonString(ContextPack))
const decodeRefusal = Schema.decodeUnknownEffect(Schema.fromJsonString(RateLimited))
const encoder = new TextEncoder()

const jsonAnswer = Effect.fnUntraced(function* (text: string) {
  const { citations, coverage, sections } = yield* decodePack(text)
  return {
    appeals: (sections.evidence?.appeals ?? []).map(({ appealId, snippets }) => ({
      appealId,
      snippets: snippets.flatMap(({ messageId, text }) => (messageId === null ? [] : [{ messageId, text }]))
    })),
    facts: citations.length,
    reasons: coverage.reasons
  } satisfies MarkdownAnswer
})

/** The scope and query of a request. Absent sections and limits are the defaults. */
export type Asking = Pick<
  ContextRequest,
  "scope" | "targets" | "topK" | "maxSnippetsPerAppeal" | "tokenBudget" | "maxResponseBytes" | "timeoutMs"
> & { readonly query: string }

/** A query above its limit is cut to it. A question that three tries leave unanswered found nothing, and says so. */
export const ask = Effect.fn("Asking.ask")(function* (asking: Asking, form: PackForm = "json") {
  const { context } = yield* Client
  const query = [...asking.query.trim()].slice(0, QUERY_POINTS_MAX).join("")
  const once = Effect.gen(function* () {
    const [took, { status, text }] = yield* Effect.timed(
      Effect.gen(function* () {
        const response = yield* context
          .retrieveContext({ payload: { ...asking, query }, responseMode: "response-only" })
          .pipe(Effect.provideService(Accepting, form === "markdown" ? "text/markdown" : undefined))
        return { status: response.status, text: yield* response.text }
      })
    )
    if (status === 429) return yield* Effect.flatMap(decodeRefusal(text), Effect.fail)
    if (status === 503) return yield* new Unavailable({ took })
    if (status !== 200) return yield* new NotAnswered({ message: `${status} ${text.slice(0, 500)}` })
    return { took, text, shown: form === "markdown" ? markdownAnswer(text) : yield* jsonAnswer(text) }
  })
  const answer = Effect.map(retryLimited(once), ({ shown, text, took }): Answered => ({
    appeals: shown.appeals.map(({ appealId, snippets }) => ({
      appealId,
      messageIds: snippets.map(({ messageId }) => messageId),
      texts: snippets.map((one) => one.text)
    })),
    facts: shown.facts,
    millis: Duration.toMillis(took),
    bytes: encoder.encode(text).length,
    tokens: countTokens(text, { disallowedSpecial: new Set() }),
    isWhole: !shown.reasons.includes("pack_budget"),
    reasons: shown.reasons.filter((reason) => reason !== "pack_budget")
  }))
  return yield* answer.pipe(
    Effect.retry({
      while: ({ _tag }) => _tag === "Unavailable",
      times: UNAVAILABLE_TRIES_MAX - 1,
      schedule: Schedule.spaced(UNAVAILABLE_MILLIS)
    }),
    Effect.catchTag("Unavailable", ({ took }) =>
      Effect.succeed<Answered>({
        appeals: [],
        millis: Duration.toMillis(took),
        bytes: 0,
        tokens: 0,
        facts: 0,
        isWhole: false,
        reasons: ["not answered"]
      })
    )
  )
})
