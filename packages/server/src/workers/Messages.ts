// What workers ask of their parent and it of them, and what they note.
import { TrafficDefaults, type TrafficLimit } from "@rapport/contract/Limits.ts"
import { Schema } from "effect"
import { Found, Query } from "../sqlite/IndexRpc.ts"

const isTrafficLimit = (name: string): name is TrafficLimit => Object.hasOwn(TrafficDefaults, name)
const Limit = Schema.String.pipe(Schema.refine(isTrafficLimit))
const Index = Schema.Literals(["appeals", "memory"])

/** Of a worker; what each is answered with is below. */
export const WorkerAsk = Schema.Union([
  Schema.TaggedStruct("Settings", {}),
  /** The port is closed: once this is answered, every connection that was handed over has come. */
  Schema.TaggedStruct("Closed", {}),
  Schema.TaggedStruct("Take", { limit: Limit, key: Schema.String, amount: Schema.Finite }),
  Schema.TaggedStruct("Places", { places: Schema.Array(Schema.Tuple([Limit, Schema.String])) }),
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

/** Of a worker. */
export const WorkerNote = Schema.Union([
  /** It serves. */
  Schema.TaggedStruct("Ready", {}),
  /** The places, or the reserved login, that question `id` was about are free again. */
  Schema.TaggedStruct("Give", { id: Schema.Int }),
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

export const QuotaAnswer = Schema.Struct({
  limit: Schema.Finite,
  remaining: Schema.Finite,
  wholeAfterMillis: Schema.Finite,
  retryAfterMillis: Schema.NullOr(Schema.Finite)
})
/** The limit without a place; null: they are taken. */
export const PlacesAnswer = Schema.NullOr(Limit)
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
