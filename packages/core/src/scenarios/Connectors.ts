// Applies a request to the connectors of a bot (contract §8).
import type { Violation } from "@rapport/contract/Errors.ts"
import { WEBHOOK_SECRET_BYTES_MAX, WEBHOOK_SECRET_BYTES_MIN } from "@rapport/contract/Limits.ts"
import type { ConnectorPatch } from "@rapport/contract/scenarios/Bot.ts"
import { Context, Effect, Redacted } from "effect"
import { webhookUrlFault } from "../delivery/WebhookUrl.ts"
import type { StoredConnector } from "./BotStore.ts"

/** RAPPORT_WEBHOOK_ALLOW_PRIVATE. */
export const WebhookAllowPrivate = Context.Reference<boolean>("core/scenarios/WebhookAllowPrivate", {
  defaultValue: () => false
})

/** Takes some milliseconds. A bot may have a thousand connectors. */
const CONNECTORS_BATCH = 100

/** Maps with `Effect.yieldNow` between batches. */
export const mapYielding = Effect.fnUntraced(function* <A, B>(
  connectors: ReadonlyArray<A>,
  change: (connector: A, place: number) => B
) {
  const changed: Array<B> = []
  for (const [place, connector] of connectors.entries()) {
    if (place > 0 && place % CONNECTORS_BATCH === 0) yield* Effect.yieldNow
    changed.push(change(connector, place))
  }
  return changed
})

/** `secret` is null if it is to be generated. */
export interface ConnectorDraft extends Omit<StoredConnector, "secret"> {
  readonly secret: Redacted.Redacted | null
}

/** Missing members keep the values of the connector with the same channel and kind. */
export const draftOf = (
  present: ReadonlyMap<string, StoredConnector>,
  requested: ConnectorPatch
): ConnectorDraft => {
  const ofChannel = present.get(requested.channel)
  const before = ofChannel?.kind === requested.kind ? ofChannel : undefined
  const { channel, kind, previousSecret, secret, token } = requested
  return {
    channel,
    kind,
    url: requested.url === undefined ? (before?.url ?? null) : requested.url,
    secret: secret === undefined ? (before?.secret ?? null) : Redacted.make(secret),
    previousSecret:
      previousSecret === undefined
        ? (before?.previousSecret ?? null)
        : previousSecret === null
          ? null
          : Redacted.make(previousSecret),
    token: token === undefined ? (before?.token ?? null) : Redacted.make(token),
    active: requested.active ?? before?.active ?? true
  }
}

export const connectorFaults = (
  path: string,
  requested: ConnectorPatch,
  draft: ConnectorDraft,
  allowPrivate: boolean
): ReadonlyArray<Violation> => {
  const faults: Array<Violation> = []
  const add = (member: string, message: string | undefined) => {
    if (message !== undefined) faults.push({ path: `${path}.${member}`, message })
  }
  if (draft.kind === "webhook") {
    if (draft.url === null) add("url", "is required for a webhook")
    else if (requested.url !== undefined) add("url", webhookUrlFault(draft.url, allowPrivate))
    for (const member of ["secret", "previousSecret"] as const)
      if (typeof requested[member] === "string") add(member, webhookSecretFault(requested[member]))
    if (requested.token !== undefined) add("token", "is only for a telegram connector")
    return faults
  }
  if (draft.url !== null) add("url", "is only for a webhook")
  if (draft.token === null) add("token", "is required for a telegram connector")
  // The token is part of a path of the Bot API.
  else if (requested.token !== undefined && !/^[A-Za-z0-9_:-]+$/u.test(requested.token))
    add("token", "must have letters a-z, digits, _, - and : only")
  for (const member of ["secret", "previousSecret"] as const)
    if (!/^[A-Za-z0-9_-]*$/u.test(requested[member] ?? ""))
      add(member, "must have letters a-z, digits, _ and - only")
  return faults
}

const webhookSecretFault = (secret: string): string | undefined => {
  const encoded = /^whsec_([A-Za-z0-9+/]+)={0,2}$/u.exec(secret)?.[1]
  const bytes = encoded === undefined || encoded.length % 4 === 1 ? 0 : Math.floor((encoded.length * 3) / 4)
  return bytes >= WEBHOOK_SECRET_BYTES_MIN && bytes <= WEBHOOK_SECRET_BYTES_MAX
    ? undefined
    : `must be whsec_ and base64 of ${WEBHOOK_SECRET_BYTES_MIN} to ${WEBHOOK_SECRET_BYTES_MAX} bytes`
}

/** Compares secrets and tokens too. */
export const changedConnectors = (
  before: ReadonlyArray<StoredConnector>,
  after: ReadonlyArray<StoredConnector>
): boolean => JSON.stringify(before.map(comparable)) !== JSON.stringify(after.map(comparable))

const comparable = ({ active, channel, kind, previousSecret, secret, token, url }: StoredConnector) => [
  channel,
  kind,
  url,
  Redacted.value(secret),
  previousSecret === null ? null : Redacted.value(previousSecret),
  token === null ? null : Redacted.value(token),
  active
]
