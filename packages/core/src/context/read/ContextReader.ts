// The context read: one bounded, cited pack about an entity, or nothing (contract §3).
import { AppealIndex } from "../../appeals/AppealIndex.ts"
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { ContextRequest } from "@rapport/contract/context/ContextRequest.ts"
import { AccessDenied, Ambiguous } from "@rapport/contract/Errors.ts"
import { Clock, Context, Effect, Layer } from "effect"
import { actorOf, type AuditEntry, AuditLog, currentOrigin } from "../../audit/AuditLog.ts"
import { ClientMemory } from "../../memory/ClientMemory.ts"
import {
  inSpan,
  orUnavailable,
  type SourceUnavailable,
  traceAs,
  withDeadline
} from "../../failures/SourceUnavailable.ts"
import { Sha256 } from "../../json/Sha256.ts"
import { type PackFormat, unchangedAnswer } from "../pack/PackForm.ts"
import {
  type ContextPlan,
  type Deadlines,
  deadlinesOf,
  planFor,
  planOf,
  planWithin,
  UNKNOWN_ID,
  WaitedMillis
} from "./ContextPlan.ts"
import { ContextStore } from "./ContextStore.ts"
import { frameOf, packOf } from "./PackAssembly.ts"
import { reportPack } from "./PackMetrics.ts"
import { gather, shownRecordsOf, type Sources } from "./ReadSources.ts"

export class ContextReader extends Context.Service<ContextReader>()("core/context/ContextReader", {
  make: Effect.gen(function* () {
    const sources: Sources = {
      store: yield* ContextStore,
      index: yield* AppealIndex,
      memory: yield* ClientMemory
    }
    const { hex } = yield* Sha256
    const audit = yield* AuditLog

    const assemble = Effect.fnUntraced(function* (
      session: AuthorizedSession,
      plan: ContextPlan,
      format: PackFormat,
      deadlines: Deadlines,
      startedAt: number
    ) {
      const gathered = yield* gather(sources, session, plan, deadlines)
      const made = yield* packOf(hex, plan, format, gathered, yield* frameOf(session, startedAt))
      // Everything in the answer, even the size of what did not fit, requires rights that still apply (contract §3.3).
      const confirmed = yield* inSpan("ContextReader.confirm")(
        sources.store.confirm({
          ...shownRecordsOf(gathered, plan),
          caller: session,
          scope: plan.scope,
          snapshot: gathered.opened.snapshot
        })
      )
      if (!confirmed) return yield* new AccessDenied()
      const pack = yield* Effect.fromResult(made)
      yield* reportPack(plan.sections, pack)
      const { packHash } = pack.answer
      return packHash === plan.knownPackHash ? unchangedAnswer(format, packHash) : pack.answer
    })

    const recordAudit = (...entry: Parameters<typeof auditEntry>) =>
      Effect.flatMap(auditEntry(...entry), audit.append)

    const retrieve = Effect.fnUntraced(function* (
      session: AuthorizedSession,
      request: ContextRequest,
      format: PackFormat
    ) {
      const startedAt = (yield* Clock.currentTimeMillis) - (yield* WaitedMillis)
      const { conversation, scope } = request
      const requested = planOf(request)
      const deadlines = deadlinesOf(startedAt, requested.timeoutMillis, requested.allowPartial)
      const early = <A>(read: Effect.Effect<A, SourceUnavailable>) =>
        read.pipe(withDeadline(Math.min(deadlines.open, deadlines.answer), "database"), orUnavailable)
      const found = scope.id === undefined ? yield* early(sources.store.find(session, scope)) : [scope.id]
      const known = planFor(requested, found)
      const plan =
        conversation === undefined || known.scope.id === UNKNOWN_ID
          ? known
          : planWithin(known, yield* early(sources.store.conversation(session, known.scope, conversation)))
      return yield* assemble(session, plan, format, deadlines, startedAt).pipe(
        withDeadline(deadlines.answer, "database"),
        Effect.tap(() => recordAudit(session, plan, "allowed")),
        Effect.tapErrorTag("AccessDenied", () => recordAudit(session, plan, "denied")),
        Effect.catchTag("AccessDenied", (denied) =>
          Effect.fail(found.length > 1 ? new Ambiguous({ ids: found }) : denied)
        ),
        orUnavailable
      )
    })

    return {
      /** Returns the rendered answer within timeoutMs, whatever the sources do. */
      retrieve: traceAs("ContextReader.retrieve")(retrieve)
    }
  })
}) {
  static readonly layer = Layer.effect(ContextReader, ContextReader.make)
}

const auditEntry = Effect.fnUntraced(function* (
  session: AuthorizedSession,
  { scope }: ContextPlan,
  decision: "allowed" | "denied"
): Effect.fn.Return<AuditEntry> {
  return {
    ...(yield* currentOrigin),
    ...actorOf(session),
    instanceId: session.instanceId,
    action: "context.read",
    entity: scope.entity,
    entityId: scope.id === UNKNOWN_ID ? null : String(scope.id),
    decision,
    details: {}
  }
})
