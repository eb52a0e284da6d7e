// What two processes say to each other over the channel between them: questions with answers, and notes without. What is
// said in one turn of the event loop is one message.
import { UnavailableReason } from "@rapport/contract/Errors.ts"
import { Source, SourceUnavailable } from "@rapport/core/failures/SourceUnavailable.ts"
import { Numbered } from "@rapport/core/traffic/Numbered.ts"
import { Cause, type Context, Data, Effect, Exit, type Fiber, Option, Schema } from "effect"

/** The other process is gone, did not answer in time, or failed. */
export class ChannelFailed extends Data.TaggedError("ChannelFailed")<{ readonly reason: string }> {}

/** Of SourceUnavailable, whose cause stays in the process that met it. */
const Unavailable = Schema.Struct({
  source: Source,
  reason: UnavailableReason
})

const Answer = Schema.Union([
  Schema.Struct({ value: Schema.Unknown }),
  Schema.Struct({ unavailable: Unavailable }),
  Schema.Struct({ failed: Schema.String })
])
type Answer = typeof Answer.Type

const Message = Schema.Struct({
  asks: Schema.Array(Schema.Tuple([Schema.Int, Schema.Unknown])),
  answers: Schema.Array(Schema.Tuple([Schema.Int, Answer])),
  /** Questions whose answer nobody waits for any more. */
  dropped: Schema.Array(Schema.Int),
  notes: Schema.Array(Schema.Unknown)
})
const decodeMessage = Schema.decodeUnknownOption(Message)

/** What a side does with what it hears. */
export interface Heard {
  /** Answers a question; `id` is its number, unique for the life of the channel. */
  readonly answer: (ask: unknown, id: number) => Effect.Effect<unknown, SourceUnavailable>
  readonly note: (note: unknown) => void
}

/** The end of a channel in this process; `post` hands a message to the other. */
export class ProcessChannel {
  readonly #post: (message: unknown) => void
  readonly #heard: Heard
  readonly #fork: <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>
  readonly #waiting = new Numbered<(answer: Answer) => void>()
  readonly #answering = new Numbered<Fiber.Fiber<unknown, SourceUnavailable>>()
  #said: { asks: Array<unknown>; answers: Array<unknown>; dropped: Array<number>; notes: Array<unknown> }
  #isScheduled = false
  #isClosed = false
  #lastId = 0

  constructor(post: (message: unknown) => void, heard: Heard, context: Context.Context<never>) {
    this.#post = post
    this.#heard = heard
    this.#fork = Effect.runForkWith(context)
    this.#said = nothing()
  }

  /** The number of the next question. */
  nextId(): number {
    return ++this.#lastId
  }

  ask(ask: unknown, id: number = this.nextId()): Effect.Effect<unknown, ChannelFailed | SourceUnavailable> {
    return Effect.callback((resume) => {
      if (this.#isClosed) return resume(Effect.fail(new ChannelFailed({ reason: "closed" })))
      this.#waiting.put(id, (answer) => {
        if ("value" in answer) resume(Effect.succeed(answer.value))
        else if ("unavailable" in answer) resume(Effect.fail(new SourceUnavailable(answer.unavailable)))
        else resume(Effect.fail(new ChannelFailed({ reason: answer.failed })))
      })
      this.#saying().asks.push([id, ask])
      return Effect.sync(() => {
        if (this.#waiting.take(id) !== undefined) this.#saying().dropped.push(id)
      })
    })
  }

  note(note: unknown): void {
    this.#saying().notes.push(note)
  }

  /** A message of the other process. */
  hear(message: unknown): void {
    const heard = Option.getOrUndefined(decodeMessage(message))
    if (heard === undefined) return
    for (const [id, answer] of heard.answers) this.#waiting.take(id)?.(answer)
    for (const [id, ask] of heard.asks) this.#answer(id, ask)
    for (const note of heard.notes) this.#heard.note(note)
    for (const id of heard.dropped) this.#answering.get(id)?.interruptUnsafe()
  }

  /** The other process is gone: nothing is asked or answered any more. */
  close(): void {
    this.#isClosed = true
    for (const fiber of this.#answering.takeAll()) fiber.interruptUnsafe()
    for (const settle of this.#waiting.takeAll()) settle({ failed: "closed" })
  }

  #answer(id: number, ask: unknown): void {
    const fiber = this.#fork(this.#heard.answer(ask, id))
    this.#answering.put(id, fiber)
    fiber.addObserver((exit) => {
      this.#answering.take(id)
      this.#saying().answers.push([id, answerOf(exit)])
    })
  }

  #saying() {
    if (!this.#isScheduled) {
      this.#isScheduled = true
      setImmediate(() => {
        this.#isScheduled = false
        const said = this.#said
        this.#said = nothing()
        if (!this.#isClosed) this.#post(said)
      })
    }
    return this.#said
  }
}

const nothing = () => ({ asks: [], answers: [], dropped: [], notes: [] })

const answerOf = (exit: Exit.Exit<unknown, SourceUnavailable>): Answer => {
  // JSON has no undefined.
  if (Exit.isSuccess(exit)) return { value: exit.value ?? null }
  const error = Cause.squash(exit.cause)
  return error instanceof SourceUnavailable
    ? { unavailable: { source: error.source, reason: error.reason } }
    : { failed: error instanceof Error ? error.message : "failed" }
}
