// Checks of every request before its shape: Accept, media type, size, JSON (contract §1, "Order of checks").
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
import { BODY_BYTES_MAX, type NumericLimit } from "../Limits.ts"

/** Annotation of an endpoint: the largest raw body, in bytes. */
export const BodyBytesMax = Context.Reference<number>("rapport/BodyBytesMax", {
  defaultValue: () => BODY_BYTES_MAX
})

/** Annotation of an endpoint whose body is a file of any media type. The handler streams it, within BodyBytesMax. */
export const FileBody = Context.Reference<boolean>("rapport/FileBody", { defaultValue: () => false })

export interface HistoryBody {
  /** The members of the body that are a history. */
  readonly members: ReadonlyArray<string>
  /** The largest raw body of a caller with appeals.import, in bytes. */
  readonly bytesMax: number
}

/** Annotation of a create that may have a history. A body with one counts as an import (contract §7, §10). */
export const HistoryBody = Context.Reference<HistoryBody>("rapport/HistoryBody", {
  defaultValue: () => ({ members: [], bytesMax: 0 })
})

/** Annotation of an endpoint whose member `timeoutMs` is the deadline of the answer, which also limits authentication. */
export const Deadline = Context.Reference<NumericLimit | null>("rapport/Deadline", {
  defaultValue: () => null
})

/** Annotation of an endpoint without Formats: the media types of its answers, preferred first. None: any media type. */
export const Answers = Context.Reference<ReadonlyArray<string>>("rapport/Answers", {
  defaultValue: () => ["application/json"]
})

/** Annotation of an endpoint with a parameter `format`: the media type of each value, the default first. */
export const Formats = Context.Reference<Readonly<Record<string, string>>>("rapport/Formats", {
  defaultValue: () => ({})
})

/** Annotation of an endpoint whose use case checks the parameters: the schema of the parameters that are known before. */
export const LateQuery = Context.Reference<Schema.Top | null>("rapport/LateQuery", {
  defaultValue: () => null
})

/** Checks Accept (406), media type (415), size (413) and JSON (400). Declares 408, 431 and 500 for every route. */
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

/** Turns schema errors into one answer with all violations (contract §1.1). */
export class SchemaErrors extends HttpApiMiddleware.Service<SchemaErrors>()("rapport/SchemaErrors", {
  error: [InvalidRequest, QueryBudgetExceeded, InternalError]
}) {}
