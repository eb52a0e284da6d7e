// The use cases of broadcast templates (contract §9.1).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import {
  MessageTemplate,
  type TemplatePatch,
  type TemplateRequest,
  templates as collection
} from "@rapport/contract/broadcasts/Broadcast.ts"
import type { AccessDenied, InvalidRequest } from "@rapport/contract/Errors.ts"
import { Effect, Result } from "effect"
import type { ChangeOf } from "../lists/Records.ts"
import { recordUseCases, removeUseCase } from "../lists/RecordUseCases.ts"
import { requireNoViolations } from "../receipts/Writes.ts"
import { readTemplate } from "../scenarios/MessageTemplate.ts"
import type { BroadcastStore } from "./BroadcastStore.ts"
import { namesClient } from "./BroadcastText.ts"
import { requireClients } from "./ClientMembers.ts"

export const broadcastTemplateUseCases = Effect.fnUntraced(function* ({
  templates
}: BroadcastStore["Service"]) {
  return {
    ...(yield* recordUseCases({
      name: "BroadcastTemplates",
      entity: "broadcast_template",
      collection,
      toRead: "broadcasts.read",
      toWrite: "broadcasts.manage",
      answer: MessageTemplate,
      store: templates,
      made: (request: TemplateRequest) => ({ text: null, ...request }),
      normal: (change: ChangeOf<TemplatePatch>) => change,
      validate: requireReadable
    })),
    remove: removeUseCase({
      name: "BroadcastTemplates",
      permission: "broadcasts.manage",
      remove: templates.remove,
      used: "a broadcast names the template"
    })
  }
})

const requireReadable = (
  session: AuthorizedSession,
  { text }: ChangeOf<TemplatePatch>
): Effect.Effect<void, InvalidRequest | AccessDenied> => {
  const read = readTemplate(text ?? "")
  return Result.isFailure(read)
    ? requireNoViolations([{ path: "text", message: read.failure }])
    : requireClients(session, namesClient(read.success))
}
