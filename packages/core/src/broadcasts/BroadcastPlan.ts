// Plans a broadcast: its text, its audience and its obstacles (contract §9.1).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { Broadcast, BroadcastPreview } from "@rapport/contract/broadcasts/Broadcast.ts"
import { StateNotAllowed } from "@rapport/contract/Errors.ts"
import { BROADCAST_RECIPIENTS_MAX } from "@rapport/contract/Limits.ts"
import { Effect } from "effect"
import { invalidRequest, requireNoViolations } from "../receipts/Writes.ts"
import { storedTemplate, type Template } from "../scenarios/MessageTemplate.ts"
import { readFilter } from "./Audience.ts"
import type { AudienceOf, BroadcastStore, AudienceReach } from "./BroadcastStore.ts"
import { namesClient, needsOf, textFor } from "./BroadcastText.ts"
import { requireClients } from "./ClientMembers.ts"

type Store = BroadcastStore["Service"]

const audienceOf = (audience: Broadcast["audience"]): AudienceOf | undefined => {
  if (audience?.clientIds !== undefined) return { clientIds: audience.clientIds }
  // The filter was validated when it was written.
  return audience?.filter === undefined ? undefined : { filters: readFilter(audience.filter).filters }
}

/** Fails with all missing settings and all members that the template needs but clients lack. */
export const planOf = Effect.fnUntraced(function* (
  store: Store,
  session: AuthorizedSession,
  { audience: requested, botId, channel, templateId, variables }: Broadcast
) {
  const audience = audienceOf(requested)
  if (audience === undefined || botId === null || channel === null || templateId === null)
    return yield* invalidRequest(
      Object.entries({ botId, channel, templateId, audience: audience ?? null }).flatMap(([path, value]) =>
        value === null ? [{ path, message: "is required to reach a client" }] : []
      )
    )
  const text = (yield* store.templates.find(session, templateId))?.text ?? null
  if (text === null)
    return yield* invalidRequest([{ path: "templateId", message: "names a template without text" }])
  const template = storedTemplate(text)
  yield* requireClients(session, "filters" in audience || namesClient(template))
  const { needed, violations } = needsOf(template, variables)
  const reached = yield* store.reach(session, channel, audience, needed)
  yield* requireNoViolations([
    ...violations,
    ...(reached.total > BROADCAST_RECIPIENTS_MAX
      ? [{ path: "audience", message: `must have at most ${BROADCAST_RECIPIENTS_MAX} clients` }]
      : []),
    ...reached.lacking.map((name) => ({
      path: `variables.${name}`,
      message: "is required by the template, and a client of the audience has none"
    }))
  ])
  return {
    audience,
    channel,
    reached,
    requireSender: requireSender(store, session, botId, channel),
    template,
    text
  }
})

const requireSender = Effect.fnUntraced(function* (
  store: Store,
  session: AuthorizedSession,
  botId: number,
  channel: string
) {
  const sender = yield* store.sender(session, botId, channel)
  if (sender?.isBotActive !== true) return yield* new StateNotAllowed({ detail: "the bot is not active" })
  if (sender.isConnectorActive !== true)
    return yield* new StateNotAllowed({ detail: "the bot has no active connector of the channel" })
})

export const previewOf = (
  { template }: { readonly template: Template },
  variables: Broadcast["variables"],
  { eligible, noIdentity, notSubscribed, samples, total }: AudienceReach
): BroadcastPreview => ({
  total,
  eligible,
  skipped: {
    ...(notSubscribed > 0 ? { not_subscribed: notSubscribed } : {}),
    ...(noIdentity > 0 ? { no_identity: noIdentity } : {})
  },
  samples: samples.flatMap(({ chatId, clientId, values }) => {
    const filled = textFor(template, values, variables)
    return filled._tag === "Text" ? [{ clientId, chatId, text: filled.text }] : []
  })
})
