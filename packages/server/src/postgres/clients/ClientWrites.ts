// Writes of actions and states of clients: one statement for all rows; rows that concurrent writes overtook are repeated under a lock.
import { AnyObject } from "@rapport/contract/values/Members.ts"
import { Receipt } from "@rapport/contract/receipts/Receipt.ts"
import { STATE_BYTES_MAX } from "@rapport/contract/Limits.ts"
import { isoOf } from "@rapport/contract/values/Time.ts"
import {
  type ClientPermission,
  type ClientContextStore,
  type ClientWrite,
  type ClientWriteOutcome,
  nextState
} from "@rapport/core/clients/ClientContextStore.ts"
import type { Caller } from "@rapport/core/access/Caller.ts"
import { canonicalBytes } from "@rapport/core/json/CanonicalJson.ts"
import { Effect, Schema } from "effect"
import type { SecureRandom } from "effect/crypto"
import { idArray, type Sql, sql } from "../sql/Fragment.ts"
import {
  type RetryWrite,
  commonValues,
  inProgressOrOvertaken,
  untilDecided,
  writeValues
} from "../receipts/WriteStatement.ts"
import { queryOr, rowsOf } from "../sql/Query.ts"
import { clientWriteStatement } from "./ClientWriteStatement.ts"

type State = Readonly<Record<string, unknown>>

const encodeReceipt = Schema.encodeSync(Schema.toCodecJson(Receipt))

const outcomeRows = rowsOf(
  Schema.Union([
    Schema.TaggedStruct("Done", { clientId: Schema.Int, currentVersion: Schema.Int }),
    Schema.TaggedStruct("Replayed", { answer: Schema.Unknown }),
    Schema.TaggedStruct("UnknownReferences", { appeal: Schema.Boolean, subject: Schema.Boolean }),
    Schema.TaggedStruct("VersionConflict", { currentVersion: Schema.Int }),
    Schema.Struct({
      _tag: Schema.Literals([
        "Retry",
        "EventConflict",
        "Forbidden",
        "KeyReused",
        "NamespacesFull",
        "NotFound",
        "Refused",
        "StateTooLarge"
      ])
    })
  ])
)
const presentRows = rowsOf(
  Schema.Struct({ clientId: Schema.Int, namespace: Schema.String, version: Schema.Int, state: AnyObject })
)

export const clientWrites = (
  sql: Sql,
  random: SecureRandom.SecureRandom["Service"]
): Pick<ClientContextStore["Service"], "write"> => {
  const attempt = Effect.fnUntraced(function* (
    caller: Caller,
    access: ClientPermission,
    writes: ReadonlyArray<ClientWrite>,
    isLocked: boolean
  ) {
    if (isLocked) yield* lockClients(sql, caller, writes)
    const present = yield* presentStates(sql, caller, writes)
    const rows = yield* Effect.forEach(writes, (write) =>
      Effect.map(random.uuidV7(), (stateId) => rowOf(write, stateId, present))
    )
    const kind = {
      access,
      hasActions: writes.some(({ action }) => action !== null),
      hasStates: writes.some(({ state }) => state !== null)
    }
    const values = yield* writeValues(
      caller,
      rows.map((row) => row.values)
    )
    const found = yield* outcomeRows.all(clientWriteStatement(sql, kind, values))
    return found.map((outcome, at): ClientWriteOutcome | RetryWrite => {
      if (outcome._tag !== "Done") return outcome
      const { clientId, currentVersion } = outcome
      const written = rows[at]?.state ?? null
      return {
        _tag: "Done",
        clientId,
        state: written && { ...written, clientId, version: currentVersion + 1 }
      }
    })
  })

  return {
    write: queryOr("ClientContextStore.write", inProgressOrOvertaken, (session, access, rows) =>
      untilDecided(sql, rows, (left, isRepeated) => {
        // Without a state only a key can have been overtaken, and the next snapshot includes it.
        const isLocked = isRepeated && left.some(({ state }) => state !== null)
        const tried = attempt(session, access, left, isLocked)
        return isLocked ? sql.withTransaction(tried) : tried
      })
    )
  }
}

/** The id of the survivor of a merged client. */
const survivorOf = sql.literal("coalesce(named.merged_into_id, named.id)")

/** Locks the clients whose states the rows write, so that no other write changes a state of them. */
const lockClients = (sql: Sql, { instanceId }: Caller, writes: ReadonlyArray<ClientWrite>) =>
  sql`select 1 from clients c where c.instance_id = ${instanceId} and c.id in (
      select ${survivorOf} from clients named where named.instance_id = ${instanceId}
        and named.id = any(${idArray(
          writes.flatMap(({ clientId, state }) => (state === null ? [] : [clientId]))
        )})) order by c.id for no key update of c`

interface Present {
  readonly version: number
  readonly state: State | null
}
const absent: Present = { version: 0, state: null }
type PresentOf = (clientId: number, namespace: string) => Present

/** The current states that rows are merged into. */
const presentStates = Effect.fnUntraced(function* (
  sql: Sql,
  { instanceId }: Caller,
  writes: ReadonlyArray<ClientWrite>
) {
  const merged = writes.filter(({ state }) => state?.mode === "merge")
  if (merged.length === 0) return () => absent
  const rows =
    yield* presentRows.all(sql`select distinct on (named.id, current_state.namespace) named.id::float8 as "clientId",
      current_state.namespace, current_state.version::float8 as version, current_state.state
    from clients named join client_state current_state on current_state.instance_id = named.instance_id and current_state.client_id = ${survivorOf}
    where named.instance_id = ${instanceId}
      and named.id = any(${idArray(merged.map(({ clientId }) => clientId))})
      and current_state.namespace = any(${merged.flatMap(({ state }) => state?.namespace ?? [])}::text[])`)
  const present: PresentOf = (clientId, namespace) =>
    rows.find((row) => row.clientId === clientId && row.namespace === namespace) ?? absent
  return present
})

const rowOf = (write: ClientWrite, stateId: string, presentOf: PresentOf) => {
  const { action, batchId, clientId, imported, prepared, state } = write
  // An imported action has a receipt without a key.
  const hasReceipt = prepared.key !== null || action !== null
  const present = state?.mode === "merge" ? presentOf(clientId, state.namespace) : absent
  const next = state && nextState(state, present.state)
  return {
    state: state && next && { namespace: state.namespace, state: next, updatedAt: state.updatedAt },
    values: {
      ...commonValues(prepared, { receiptId: hasReceipt ? prepared.receipt.id : null, batchId }),
      "client int8": clientId,
      "receipt json": encodeReceipt(prepared.receipt),
      ...(action && actionValues(action)),
      ...(state && {
        "namespace text": state.namespace,
        "expected int8": state.expectedVersion,
        "read_version int8": state.mode === "merge" ? present.version : null,
        "state json": next,
        "state_id uuid": stateId,
        "updated_at timestamptz": isoOf(state.updatedAt),
        // The size of other states was checked before.
        "too_large bool":
          (state.mode === "merge" || imported !== null) && canonicalBytes(next) > STATE_BYTES_MAX,
        "import_source text": imported?.source,
        "import_id text": imported?.externalId,
        "import_fingerprint text": imported?.fingerprint
      })
    }
  }
}

const actionValues = ({ fingerprint, members }: NonNullable<ClientWrite["action"]>) => ({
  "action_id uuid": members.id,
  "type text": members.type,
  "action_actor_type text": members.actorType,
  "action_actor_id int8": members.actorId,
  "occurred_at timestamptz": isoOf(members.occurredAt),
  "recorded_at timestamptz": isoOf(members.recordedAt),
  "external_event_id text": members.externalEventId,
  "source text": members.source,
  "channel text": members.channel,
  "subject_id int8": members.subjectId,
  "appeal_id int8": members.appealId,
  "summary text": members.summary,
  "payload json": members.payload,
  "event text": fingerprint
})
