// Writes of actions and states for the tests of stores.
import type { ClientAction } from "@rapport/contract/clients/ClientContextApi.ts"
import { Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import { ClientContextStore, type ClientWrite } from "@rapport/core/clients/ClientContextStore.ts"
import { type World, writerIn } from "./WriteWorld.ts"

/** The row of a write with the key. */
const writeOf = Effect.fnUntraced(function* (
  world: World,
  {
    key = null,
    operation,
    ...members
  }: Pick<ClientWrite, "clientId"> &
    Partial<ClientWrite> & { readonly operation: string; readonly key?: string | undefined | null }
) {
  const random = yield* SecureRandom.SecureRandom
  const receipt = {
    id: yield* random.uuidV7(),
    operation,
    fingerprint: "sha256:f",
    committedAt: 1_790_000_000_400
  }
  const write: ClientWrite = {
    writer: { ...writerIn(world), operation, receiptId: key === null ? null : receipt.id },
    prepared: { receipt, key, refusal: null },
    action: null,
    state: null,
    imported: null,
    ...members
  }
  return write
})

/** An action of the world's first client, changed by `members`. */
export const actionWrite = Effect.fnUntraced(function* (
  world: World,
  members: Partial<ClientAction>,
  { key }: { readonly key?: string } = {}
) {
  const random = yield* SecureRandom.SecureRandom
  const action: ClientAction = {
    id: yield* random.uuidV7(),
    clientId: world.clientIds[0],
    type: "order.created",
    occurredAt: 1_790_000_000_000,
    actorType: "operator",
    actorId: 31,
    externalEventId: null,
    source: null,
    channel: "web",
    subjectId: null,
    appealId: null,
    summary: "Замовлення",
    payload: { sum: 7, nested: { none: null } },
    recordedAt: 1_790_000_000_500,
    ...members
  }
  return yield* writeOf(world, {
    clientId: action.clientId,
    action: { members: action, fingerprint: "f" },
    operation: "client.action.register",
    key
  })
})

/** A state of the world's first client. */
export const stateWrite = (
  world: World,
  {
    expected,
    key,
    mode = "replace",
    namespace = "crm",
    state
  }: {
    readonly expected: number | null
    readonly state: Readonly<Record<string, unknown>>
    readonly key?: string
    readonly namespace?: string
    readonly mode?: "replace" | "merge"
  }
) =>
  writeOf(world, {
    clientId: world.clientIds[0],
    state: { namespace, expectedVersion: expected, mode, state, updatedAt: 1_000 },
    operation: "client.state.put",
    key
  })

/** The outcome of one row. */
export const writeOne = Effect.fnUntraced(function* ({ session }: World, write: ClientWrite) {
  const store = yield* ClientContextStore
  const [outcome] = yield* store.write(session, "context.write", [write])
  return outcome ?? (yield* Effect.die("a row without an outcome"))
})

/** Writes a state and returns it. Every other outcome is a failure. */
export const putState = (world: World, change: Parameters<typeof stateWrite>[1]) =>
  stateWrite(world, change).pipe(
    Effect.flatMap((write) => writeOne(world, write)),
    Effect.flatMap((outcome) =>
      outcome._tag === "Done" && outcome.state !== null ? Effect.succeed(outcome.state) : Effect.fail(outcome)
    )
  )
