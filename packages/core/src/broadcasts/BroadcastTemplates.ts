// The use cases of broadcast templates (contract §9.1).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import {
  MessageTemplate,
  type TemplatePatch,
  type TemplateRequest,
  templates as collection
} from "@rapport/contract/broadcasts/Broadcast.ts"
import type { AccessDenied, InvalidRequest } from "@rapport/contract/Errors.ts"
import { Context, Effect, Layer } from "effect"
import { Permissions } from "../access/Permissions.ts"
import { orUnavailable } from "../failures/SourceUnavailable.ts"
import { Pages } from "../lists/Pages.ts"
import type { ChangeOf, IdempotencyKey } from "../lists/Records.ts"
import { updateUseCase, readUseCases, removeUseCase } from "../lists/RecordUseCases.ts"
import { Receipts } from "../receipts/Receipts.ts"
import { firstResult, requireNoViolations } from "../receipts/Writes.ts"
import { isUnreadable, readTemplate } from "../scenarios/MessageTemplate.ts"
import { BroadcastStore } from "./BroadcastStore.ts"
import { namesClient } from "./BroadcastText.ts"
import { requireClients } from "./ClientMembers.ts"

export class BroadcastTemplates extends Context.Service<BroadcastTemplates>()(
  "core/broadcasts/BroadcastTemplates",
  {
    make: Effect.gen(function* () {
      const store = yield* BroadcastStore
      const receipts = yield* Receipts
      const update = updateUseCase(receipts, {
        name: "BroadcastTemplates",
        operation: "broadcast_template.update",
        access: (session) => Permissions.require(session, "broadcasts.manage"),
        answer: MessageTemplate,
        find: store.findTemplate,
        update: store.updateTemplate,
        normal: (change: ChangeOf<TemplatePatch>) => change
      })
      return {
        ...readUseCases(yield* Pages, {
          name: "BroadcastTemplates",
          collection,
          access: (session) => Permissions.require(session, "broadcasts.read"),
          list: store.listTemplates,
          find: store.findTemplate
        }),

        create: Effect.fn("BroadcastTemplates.create")(function* (
          session: AuthorizedSession,
          request: TemplateRequest,
          key: IdempotencyKey
        ) {
          yield* Permissions.require(session, "broadcasts.manage")
          yield* requireReadable(session, request.text)
          const content = { text: null, ...request }
          const command = { operation: "broadcast_template.create", pathIds: [], content }
          return yield* receipts.once({ caller: session, command, key, answer: MessageTemplate }, () =>
            Effect.map(store.createTemplate(session, content), firstResult)
          )
        }, orUnavailable),

        update: (
          session: AuthorizedSession,
          id: number,
          expectedVersion: number,
          change: ChangeOf<TemplatePatch>,
          key: IdempotencyKey
        ) =>
          Effect.andThen(
            Effect.andThen(
              Permissions.require(session, "broadcasts.manage"),
              requireReadable(session, change.text)
            ),
            update(session, id, expectedVersion, change, key)
          ),

        remove: removeUseCase({
          name: "BroadcastTemplates",
          permission: "broadcasts.manage",
          remove: store.removeTemplate,
          used: "a broadcast names the template"
        })
      }
    })
  }
) {
  static readonly layer = Layer.effect(BroadcastTemplates, BroadcastTemplates.make)
}

const requireReadable = (
  session: AuthorizedSession,
  text: string | null | undefined
): Effect.Effect<void, InvalidRequest | AccessDenied> => {
  const read = readTemplate(text ?? "")
  return isUnreadable(read)
    ? requireNoViolations([{ path: "text", message: read.fault }])
    : requireClients(session, namesClient(read))
}
