// Concurrent commands return the outcomes of some sequential order. The use cases are compared with a model (contract §1.3, §4, §5).
import { ClientContext } from "@rapport/core/clients/ClientContext.ts"
import { ClientContextStore } from "@rapport/core/clients/ClientContextStore.ts"
import { Imports } from "@rapport/core/imports/Imports.ts"
import { Cursors } from "@rapport/core/lists/Cursors.ts"
import { Pages } from "@rapport/core/lists/Pages.ts"
import { Sessions } from "@rapport/core/sessions/Sessions.ts"
import { SessionStore } from "@rapport/core/sessions/SessionStore.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import * as fc from "fast-check"
import { stoppingImportStore } from "../../testing/StoppingImports.ts"
import { groups, run } from "../../testing/WriteCommands.ts"
import { type Command, emptyModel, explain, type Model } from "../../testing/WriteModel.ts"
import { freshWorld, type World, writerIn, writeStores } from "../../testing/WriteWorld.ts"

const RUNS = 50

// The tests read no second page.
const noCursors = Layer.succeed(Cursors, { seal: () => "", open: () => Option.none() })
const TestLayer = Layer.mergeAll(ClientContext.layer, Sessions.layer, Imports.layer).pipe(
  Layer.provide(Pages.layer),
  Layer.provide(noCursors),
  Layer.provide(stoppingImportStore),
  Layer.provideMerge(writeStores)
)

const follow = Effect.fnUntraced(function* (plan: ReadonlyArray<ReadonlyArray<Command>>) {
  const world = yield* freshWorld
  const names = new Map<string, string>()
  let model = emptyModel
  let n = 0
  for (const group of plan) {
    const ids = idsOf(model, names)
    const { length } = model.sessions
    const sent = group.map((command) => ({ n: n++, command: among(command, length) }))
    const answers = yield* Effect.forEach(sent, ({ command }) => run(world, command, ids), {
      concurrency: "unbounded"
    })
    for (const [i, { action, made }] of answers.entries()) {
      if (made !== null) names.set(made, String(sent[i]?.n))
      // The answer to an import has no ids, so an imported action is named when a later command returns it.
      const imported = action === null ? undefined : model.events[action.event]?.maker
      if (action !== null && imported?.includes(".") === true && ![...names.values()].includes(imported))
        names.set(action.id, imported)
    }
    const seen = sent.map((one, i) => ({ ...one, outcome: answers[i]?.outcome(names) ?? "nothing" }))
    const after = explain(model, seen)
    if (after === undefined)
      return assert.fail(`no order explains ${JSON.stringify(seen)} after ${JSON.stringify(model)}`)
    model = after
    yield* nameImportedSessions(world, model, names)
  }
  return yield* compare(world, model, idsOf(model, names))
})

const among = (command: Command, count: number): Command =>
  (command.kind === "message" || command.kind === "close" || command.kind === "context") && count > 0
    ? { ...command, session: command.session % count }
    : command

/** The ids of the model's sessions, in its order. */
const idsOf = ({ sessions }: Model, names: ReadonlyMap<string, string>): ReadonlyArray<string> => {
  const byMaker = new Map([...names].map(([id, maker]) => [maker, id]))
  return sessions.map(({ maker }) => byMaker.get(maker) ?? "")
}

/** Finds new sessions of imports by their external ids. */
const nameImportedSessions = Effect.fnUntraced(function* (
  world: World,
  { sessions }: Model,
  names: Map<string, string>
) {
  const store = yield* SessionStore
  const sql = yield* SqlClient.SqlClient
  const known = new Set(names.values())
  for (const { external, maker } of sessions) {
    if (known.has(maker)) continue
    const request = { clientId: world.clientIds[0], externalSessionId: external ?? "" }
    const open = yield* Effect.orDie(sql.withTransaction(store.create(writerIn(world), request, 0)))
    if (!open.isCreated) names.set(open.session.id, maker)
  }
})

/** Compares the stored records with the model. */
const compare = Effect.fnUntraced(function* (world: World, model: Model, ids: ReadonlyArray<string>) {
  const context = yield* ClientContextStore
  const store = yield* SessionStore
  const { instanceId } = world.session
  for (const [n, clientId] of world.clientIds.entries())
    for (const namespace of ["crm", "cart"]) {
      const versions = model.states[`${n}/${namespace}`] ?? []
      const found = yield* Effect.orDie(context.findState({ instanceId, clientId, namespace }))
      assert.strictEqual(found?.version ?? 0, versions.length)
      assert.strictEqual(JSON.stringify(found?.state), JSON.stringify(versions.at(-1)))
    }
  for (const [i, expected] of model.sessions.entries()) {
    const id = ids[i] ?? ""
    const session = yield* Effect.orDie(store.find(world.session, "context.read", id))
    assert.deepInclude(session, {
      clientId: world.clientIds[expected.client === 0 ? 0 : 1],
      externalSessionId: expected.external,
      status: expected.closed ? "closed" : "open",
      messageCount: expected.messages.length,
      workingContextVersion: expected.contexts.length
    })
    const start = { order: "asc", limit: 100, start: { at: "end" } } as const
    const messages = yield* Effect.orDie(store.messages(instanceId, id, start))
    assert.deepStrictEqual(
      messages?.records.map(({ content, externalMessageId, sequence }) => [
        sequence,
        externalMessageId,
        content
      ]),
      expected.messages.map(({ content, external }, at) => [at + 1, external, content])
    )
  }
})

layer(TestLayer, { excludeTestServices: true, timeout: 60_000 })("the writing use cases", (it) => {
  it.effect(
    "the writing use cases have the outcomes and the final state of some sequential order in the model",
    () =>
      Effect.gen(function* () {
        const context = yield* Effect.context<Layer.Success<typeof TestLayer>>()
        const property = fc.asyncProperty(groups, (plan) => Effect.runPromiseWith(context)(follow(plan)))
        yield* Effect.promise(() => fc.assert(property, { numRuns: RUNS }))
      }),
    240_000
  )
})
