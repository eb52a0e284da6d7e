// What is judged of every request before its shape: Accept, media type, size, JSON (contract §1, "Order of judgement").
import { Context, type Schema } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import {
  HeadersTooLarge,
  InternalError,
  InvalidRequest,
  NotAcceptable,
  PayloadTooLarge,
  QueryBudgetExceeded,
  RequestTimeout,
  UnsupportedMediaType
} from "../Errors.ts"
import { BODY_BYTES_MAX } from "../Limits.ts"

/** Annotation of an endpoint: the largest raw body it takes, in bytes. */
export const BodyBytesMax = Context.Reference<number>("rapport/BodyBytesMax", {
  defaultValue: () => BODY_BYTES_MAX
})

/**
 * Annotation of a create that may carry a history: the members that make it one. For holders of appeals.import it takes
 * the body of an import route, and one with a history counts as an import (contract §7, §10).
 */
export const HistoryBody = Context.Reference<ReadonlyArray<string>>("rapport/HistoryBody", {
  defaultValue: () => []
})

/** The member of a body that bounds the time of its answer, in milliseconds. */
export interface Deadline {
  readonly member: string
  readonly minimum: number
  readonly default: number
  readonly maximum: number
}

/** Annotation of an endpoint whose caller sets how long the answer may take: authentication takes no longer either. */
export const Deadline = Context.Reference<Deadline | null>("rapport/Deadline", { defaultValue: () => null })

/** Annotation of an endpoint: the media types it can answer with, best first. */
export const Answers = Context.Reference<ReadonlyArray<string>>("rapport/Answers", {
  defaultValue: () => ["application/json"]
})

/**
 * Annotation of an endpoint with a parameter `format`: the media type of each of its words, the first where it is absent. These are
 * all of Answers.
 */
export const Formats = Context.Reference<Readonly<Record<string, string>>>("rapport/Formats", {
  defaultValue: () => ({})
})

/**
 * Annotation of an endpoint whose parameters are judged by its use case, which knows more of them than the endpoint: a schema of
 * those that it knows, for what is refused before.
 */
export const JudgedQuery = Context.Reference<Schema.Top | null>("rapport/JudgedQuery", {
  defaultValue: () => null
})

/** Judges Accept (406), media type (415), size (413) and JSON (400). 408, 431 and 500 are named here for every route. */
export class RequestBody extends HttpApiMiddleware.Service<RequestBody>()("rapport/RequestBody", {
  error: [
    NotAcceptable,
    UnsupportedMediaType,
    PayloadTooLarge,
    InvalidRequest,
    RequestTimeout,
    HeadersTooLarge,
    InternalError
  ]
}) {}

/** Turns every fault of shape into one answer that names all violations at once (contract §1.1). */
export class SchemaErrors extends HttpApiMiddleware.Service<SchemaErrors>()("rapport/SchemaErrors", {
  error: [InvalidRequest, QueryBudgetExceeded, InternalError]
}) {}
