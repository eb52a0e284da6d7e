// The use cases of broadcasts (contract §9.1); BroadcastRun sends them.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import {
  type Audience,
  Broadcast,
  type BroadcastPatch,
  type BroadcastRequest,
  broadcasts as collection,
  recipients
} from "@rapport/contract/broadcasts/Broadcast.ts"
import { type AccessDenied, type InvalidRequest, StateNotAllowed } from "@rapport/contract/Errors.ts"
import { BroadcastRateLimits } from "@rapport/contract/Limits.ts"
import { Clock, Context, Effect, Layer } from "effect"
import { Permissions } from "../access/Permissions.ts"
import { orUnavailable } from "../failures/SourceUnavailable.ts"
import { type ListParameters, Pages } from "../lists/Pages.ts"
import type { ChangeOf, IdempotencyKey } from "../lists/Records.ts"
import { changeOnce, requireRecord, readUseCases } from "../lists/RecordUseCases.ts"
import { type OnceResult, Receipts } from "../receipts/Receipts.ts"
import {
  firstResult,
  applyPatch,
  requireNoViolations,
  requireVersion,
  unknownAt,
  unknownRecord
} from "../receipts/Writes.ts"
import { readFilter } from "./Audience.ts"
import { BroadcastStore } from "./BroadcastStore.ts"
import { type BroadcastStep, statusAfterStep } from "./BroadcastSteps.ts"
import { requireClients, rowsShownTo, shownTo } from "./ClientMembers.ts"
import { planOf, previewOf } from "./BroadcastPlan.ts"
import { broadcastTemplateUseCases } from "./BroadcastTemplates.ts"

export class Broadcasts extends Context.Service<Broadcasts>()("core/broadcasts/Broadcasts", {
  make: Effect.gen(function* () {
    const store = yield* BroadcastStore
    const receipts = yield* Receipts
    const pages = yield* Pages
    return {
      ...readUseCases(pages, {
        name: "Broadcasts",
        collection,
        access: canRead,
        list: (session, request) =>
          Effect.map(store.list(session, request), (rows) => rowsShownTo(session, rows)),
        find: (session, id) =>
          Effect.map(store.find(session, id), (broadcast) => broadcast && shownTo(session, broadcast))
      }),
      ...writes(store, receipts),
      ...steps(store, receipts),
      templates: yield* broadcastTemplateUseCases(store),

      preview: Effect.fn("Broadcasts.preview")(function* (session: AuthorizedSession, id: number) {
        yield* Permissions.require(session, "broadcasts.manage")
        yield* requireClients(session)
        const broadcast = yield* requireRecord(store.find, session, id)
        if (broadcast.status !== "draft" && broadcast.status !== "scheduled")
          return yield* notAllowed(broadcast, "previewed")
        const plan = yield* planOf(store, session, broadcast)
        const reached = broadcast.status === "draft" ? plan.reached : yield* store.reachFrozen(session, id)
        return previewOf(plan, broadcast.variables, reached)
      }, orUnavailable),

      results: Effect.fn("Broadcasts.results")(function* (session: AuthorizedSession, id: number) {
        yield* canRead(session)
        return yield* requireRecord(store.results, session, id)
      }, orUnavailable),

      listRecipients: Effect.fn("Broadcasts.listRecipients")(function* (
        session: AuthorizedSession,
        id: number,
        parameters: ListParameters
      ) {
        const page = yield* pages.page({
          session,
          // A cursor is bound to its broadcast.
          collection: { ...recipients, name: `${recipients.name} ${id}` },
          parameters,
          access: Effect.andThen(canRead(session), requireClients(session)),
          rows: (request) => store.listRecipients(session, id, request)
        })
        yield* requireRecord(store.find, session, id)
        return page
      }, orUnavailable)
    }
  })
}) {
  static readonly layer = Layer.effect(Broadcasts, Broadcasts.make)
}

const canRead = (session: AuthorizedSession) => Permissions.require(session, "broadcasts.read")

const notAllowed = ({ status }: Broadcast, done: string) =>
  new StateNotAllowed({ detail: `a broadcast that is ${status} cannot be ${done}` })
const words: Readonly<Record<BroadcastStep, string>> = {
  start: "started",
  pause: "paused",
  resume: "resumed",
  cancel: "cancelled"
}

type Store = BroadcastStore["Service"]

const writes = (store: Store, receipts: Receipts["Service"]) => ({
  create: Effect.fn("Broadcasts.create")(function* (
    session: AuthorizedSession,
    request: BroadcastRequest,
    key: IdempotencyKey
  ) {
    yield* Permissions.require(session, "broadcasts.manage")
    const content = {
      botId: null,
      channel: null,
      templateId: null,
      variables: {},
      audience: null,
      scheduledAt: null,
      ratePerMinute: BroadcastRateLimits.default,
      ...request
    }
    yield* requireReadable(session, content.audience)
    const command = { operation: "broadcast.create", pathIds: [], content }
    const made = Effect.andThen(requireKnown(store, session, content), store.create(session, content))
    return yield* receipts
      .once({ caller: session, command, key, answer: Broadcast }, () => Effect.map(made, firstResult))
      .pipe(showTo(session))
  }, orUnavailable),

  update: Effect.fn("Broadcasts.update")(function* (
    session: AuthorizedSession,
    id: number,
    expectedVersion: number,
    change: ChangeOf<BroadcastPatch>,
    key: IdempotencyKey
  ) {
    yield* Permissions.require(session, "broadcasts.manage")
    yield* requireReadable(session, change.audience ?? null)
    const command = { operation: "broadcast.update", pathIds: [id], content: { ...change, expectedVersion } }
    const allowed = requireRecord(store.find, session, id)
    const updated = store.update(session, id, "update", (present) =>
      Effect.gen(function* () {
        yield* requireKnown(store, session, change)
        yield* requireVersion(present.version, expectedVersion)
        if (present.status !== "draft") return yield* notAllowed(present, "changed")
        return applyPatch(present, change)
      })
    )
    return yield* changeOnce(
      receipts,
      { caller: session, command, key, answer: Broadcast, allowed },
      updated
    ).pipe(showTo(session))
  }, orUnavailable)
})

/** Hides members of clients in the answer of a write, also in a replay. */
const showTo = (session: AuthorizedSession) =>
  Effect.map(({ answer, replayed }: OnceResult<Broadcast>) => ({
    answer: shownTo(session, answer),
    replayed
  }))

const steps = (store: Store, receipts: Receipts["Service"]) => ({
  take: Effect.fn("Broadcasts.take")(function* (
    session: AuthorizedSession,
    id: number,
    step: BroadcastStep,
    key: IdempotencyKey
  ) {
    yield* Permissions.require(session, "broadcasts.manage")
    const command = { operation: `broadcast.${step}`, pathIds: [id], content: {} }
    const allowed = requireRecord(store.find, session, id)
    const taken = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const updated = yield* store.update(session, id, step, (present) =>
        Effect.gen(function* () {
          const status = statusAfterStep(present, step, now)
          if (status === undefined) return yield* notAllowed(present, words[step])
          if (step === "start") {
            const plan = yield* planOf(store, session, present)
            yield* plan.requireSender
            yield* store.freeze(session, present, plan.channel, plan.audience, plan.text)
          }
          return {
            ...present,
            status,
            startedAt: status === "running" ? (present.startedAt ?? now) : present.startedAt,
            completedAt: step === "cancel" ? now : present.completedAt
          }
        })
      )
      if (updated !== undefined && step === "cancel") yield* store.skipQueued(session, id)
      if (updated !== undefined && (step === "pause" || step === "resume"))
        yield* store.setPaused(session, id, step === "pause")
      return updated
    })
    return yield* changeOnce(
      receipts,
      { caller: session, command, key, answer: Broadcast, allowed },
      taken
    ).pipe(showTo(session))
  }, orUnavailable)
})

/** Validates the filter when it is written. */
const requireReadable = (
  session: AuthorizedSession,
  audience: Audience | null
): Effect.Effect<void, InvalidRequest | AccessDenied> =>
  audience?.filter === undefined
    ? Effect.void
    : Effect.andThen(requireClients(session), requireNoViolations(readFilter(audience.filter).violations))

const requireKnown = Effect.fnUntraced(function* (
  store: Store,
  session: AuthorizedSession,
  named: Pick<BroadcastPatch, "botId" | "templateId" | "audience">
) {
  const clientIds = named.audience?.clientIds ?? []
  const unknown = yield* store.unknown(session, {
    botIds: [named.botId ?? []].flat(),
    templateIds: [named.templateId ?? []].flat(),
    clientIds
  })
  yield* requireNoViolations([
    ...unknown.botIds.map(() => unknownRecord("botId")),
    ...unknown.templateIds.map(() => unknownRecord("templateId")),
    ...unknownAt("audience.clientIds", clientIds, unknown.clientIds)
  ])
})
