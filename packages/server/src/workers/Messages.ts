// What workers ask of their parent and it of them, and what they note.
import { TrafficDefaults, type TrafficLimit } from "@rapport/contract/Limits.ts"
import { Schema } from "effect"
import { Found, Query } from "../sqlite/IndexRpc.ts"

const isTrafficLimit = (name: string): name is TrafficLimit => Object.hasOwn(TrafficDefaults, name)
const Limit = Schema.String.pipe(Schema.refine(isTrafficLimit))
const Places = Schema.Array(Schema.Tuple([Limit, Schema.String]))
const Index = Schema.Literals(["appeals", "memory"])

/** Of a worker; what each is answered with is below. */
export const WorkerAsk = Schema.Union([
  Schema.TaggedStruct("Settings", {}),
  /** The port is closed: once this is answered, every connection that was handed over has come. */
  Schema.TaggedStruct("Closed", {}),
  Schema.TaggedStruct("Login", {
    loginKey: Schema.String,
    address: Schema.NullOr(Schema.String),
    isKnown: Schema.Boolean
  }),
  Schema.TaggedStruct("Search", { index: Index, query: Query }),
  Schema.TaggedStruct("Status", { index: Index, instanceId: Schema.Int }),
  Schema.TaggedStruct("Lag", { instanceId: Schema.Int })
])
export type WorkerAsk = typeof WorkerAsk.Type

/** Of a bucket or of places that were lent to a worker: what it gives back unused, and what it has used since it said so last. */
const Returned = Schema.Struct({
  limit: Limit,
  key: Schema.String,
  unused: Schema.Finite,
  used: Schema.Finite
})
export type Returned = typeof Returned.Type

/** Of limits, by a worker; what it hears of them is LenderNote. Notes keep their order, and no answer to one is ever lost. */
export const BorrowerNote = Schema.Union([
  /** So much of a bucket, and some more for what comes next; all that it still had comes back with it. */
  Schema.TaggedStruct("BorrowRate", {
    id: Schema.Int,
    amount: Schema.Finite,
    extra: Schema.Int,
    returned: Returned
  }),
  /** A place of each, or none. */
  Schema.TaggedStruct("BorrowPlaces", { id: Schema.Int, places: Places }),
  /** Nobody needs them, or the parent called them back, which had a number. */
  Schema.TaggedStruct("GiveBack", { returned: Schema.Array(Returned), recall: Schema.NullOr(Schema.Int) })
])
export type BorrowerNote = typeof BorrowerNote.Type

/** Of limits, by the parent. */
export const LenderNote = Schema.Union([
  /** `wholeAfterMillis` and `retryAfterMillis` as in Quota, with all that is lent counted as used. */
  Schema.TaggedStruct("Rate", {
    id: Schema.Int,
    limit: Limit,
    key: Schema.String,
    wholeAfterMillis: Schema.Finite,
    retryAfterMillis: Schema.NullOr(Schema.Finite),
    extra: Schema.Int
  }),
  /** `full`: the limit that has no place left; null: there was one of each. */
  Schema.TaggedStruct("Places", { id: Schema.Int, places: Places, full: Schema.NullOr(Limit) }),
  /** What the worker does not use of it is to come back. */
  Schema.TaggedStruct("Recall", { limit: Limit, key: Schema.String, recall: Schema.Int })
])
export type LenderNote = typeof LenderNote.Type

/** Of a worker. */
export const WorkerNote = Schema.Union([
  BorrowerNote,
  /** It serves. */
  Schema.TaggedStruct("Ready", {}),
  /** The reserved login that question `id` was about is decided. */
  Schema.TaggedStruct("Settled", { id: Schema.Int, failed: Schema.Boolean }),
  /** Something was committed. */
  Schema.TaggedStruct("Committed", { topic: Schema.Literals(["changes", "deliveries", "broadcasts"]) })
])
export type WorkerNote = typeof WorkerNote.Type

/** Everything that a worker is started with: secrets are neither in its environment nor among its arguments. */
export const WorkerSettings = Schema.Struct({
  environment: Schema.Record(Schema.String, Schema.String),
  /** Of the embedded PostgreSQL. */
  socket: Schema.NullOr(Schema.Struct({ socketDir: Schema.String, password: Schema.String })),
  connections: Schema.Int
})

/** "reserved", "wait", or milliseconds. */
export const LoginAnswer = Schema.Union([Schema.Literals(["reserved", "wait"]), Schema.Finite])
export const SearchAnswer = Found
export const StatusAnswer = Schema.Struct({
  ready: Schema.Boolean,
  lagMillis: Schema.Finite,
  indexedAt: Schema.Finite
})
export const LagAnswer = Schema.Finite
export const MetricsAnswer = Schema.String
