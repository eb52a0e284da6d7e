// The use cases of bots with their connectors (contract §8).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import {
  type Bot,
  type BotPatch,
  type BotRequest,
  bots as collection,
  type ConnectorPatch,
  BotWithSecrets
} from "@rapport/contract/scenarios/Bot.ts"
import { Context, Effect, Layer, Redacted, Struct } from "effect"
import { SecureRandom } from "effect/crypto"
import { Base64, Base64Url } from "effect/encoding"
import { Permissions } from "../access/Permissions.ts"
import { orUnavailable } from "../failures/SourceUnavailable.ts"
import { Pages } from "../lists/Pages.ts"
import { changeOnce, requireRecord, readUseCases } from "../lists/RecordUseCases.ts"
import type { IdempotencyKey } from "../lists/Records.ts"
import { Receipts } from "../receipts/Receipts.ts"
import { firstResult, requireNoViolations } from "../receipts/Writes.ts"
import { type BotContent, BotStore, type StoredBot, type StoredConnector } from "./BotStore.ts"
import {
  changedConnectors,
  type ConnectorDraft,
  connectorFaults,
  draftOf,
  mapYielding,
  WebhookAllowPrivate
} from "./Connectors.ts"
import { nodeUseCases, requireReading } from "./Nodes.ts"

export class Bots extends Context.Service<Bots>()("core/scenarios/Bots", {
  make: Effect.gen(function* () {
    const store = yield* BotStore
    const receipts = yield* Receipts
    const pages = yield* Pages
    const connectorsOf = makeConnectors(yield* SecureRandom.SecureRandom, yield* WebhookAllowPrivate)
    return {
      nodes: nodeUseCases(store, receipts, pages),
      ...readUseCases(pages, {
        name: "Bots",
        collection,
        access: requireReading,
        list: store.listBots,
        find: store.findBot
      }),

      create: Effect.fn("Bots.create")(function* (
        session: AuthorizedSession,
        request: BotRequest,
        key: IdempotencyKey
      ) {
        yield* Permissions.require(session, "scenarios.manage")
        const { connectors, secrets } = yield* connectorsOf([], request.connectors ?? [])
        const content = { name: request.name, active: request.active ?? true, connectors }
        const requested = {
          active: true,
          ...request,
          connectors: (request.connectors ?? []).map(withoutDefaults)
        }
        const command = commandOf("bot.create", [], requested)
        return yield* receipts.once(
          { caller: session, command, key, answer: BotWithSecrets, redact: withoutSecrets },
          () => Effect.map(store.createBot(session, content), (bot) => firstResult(writtenOf(bot, secrets)))
        )
      }, orUnavailable),

      /** Bots have no version. */
      update: Effect.fn("Bots.update")(function* (
        session: AuthorizedSession,
        id: number,
        change: BotPatch,
        key: IdempotencyKey
      ) {
        yield* Permissions.require(session, "scenarios.manage")
        const command = commandOf("bot.update", [id], change)
        const allowed = requireRecord(store.findBot, session, id)
        const updated = Effect.gen(function* () {
          let secrets: GeneratedSecrets = new Map()
          const bot = yield* store.updateBot(session, id, (present) =>
            Effect.gen(function* () {
              if (change.connectors === undefined) return changedBot(present, change, present.connectors)
              const requested = yield* connectorsOf(present.connectors, change.connectors)
              secrets = requested.secrets
              return changedBot(present, change, requested.connectors)
            })
          )
          return bot && writtenOf(bot, secrets)
        })
        return yield* changeOnce(
          receipts,
          { caller: session, command, key, answer: BotWithSecrets, redact: withoutSecrets, allowed },
          updated
        )
      }, orUnavailable)
    }
  })
}) {
  static readonly layer = Layer.effect(Bots, Bots.make)
}

/** Random bytes of a generated secret. */
const CONNECTOR_SECRET_BYTES = 32

/** Generated secrets by channel, which only the first answer contains. */
type GeneratedSecrets = ReadonlyMap<string, string>

const makeConnectors = (random: SecureRandom.SecureRandom["Service"], allowPrivate: boolean) => {
  const withSecret = (
    draft: ConnectorDraft
  ): Effect.Effect<StoredConnector & { readonly isGenerated: boolean }> =>
    draft.secret === null
      ? Effect.map(random.randomBytes(CONNECTOR_SECRET_BYTES), (bytes) => ({
          ...draft,
          secret: Redacted.make(
            draft.kind === "webhook" ? `whsec_${Base64.encode(bytes)}` : Base64Url.encode(bytes)
          ),
          isGenerated: true
        }))
      : Effect.succeed({ ...draft, secret: draft.secret, isGenerated: false })
  return Effect.fnUntraced(function* (
    present: ReadonlyArray<StoredConnector>,
    requested: ReadonlyArray<ConnectorPatch>
  ) {
    const byChannel = new Map(present.map((connector) => [connector.channel, connector]))
    const drafts = yield* mapYielding(requested, (connector, i) => {
      const draft = draftOf(byChannel, connector)
      return { draft, faults: connectorFaults(`connectors[${i}]`, connector, draft, allowPrivate) }
    })
    yield* requireNoViolations(drafts.flatMap(({ faults }) => faults))
    const complete = yield* Effect.forEach(drafts, ({ draft }) => withSecret(draft))
    const secrets: GeneratedSecrets = new Map(
      complete.flatMap(({ channel, isGenerated, secret }) =>
        isGenerated ? [[channel, Redacted.value(secret)] as const] : []
      )
    )
    return { connectors: complete, secrets }
  })
}

const changedBot = (
  present: StoredBot,
  { active = present.active, name = present.name }: BotPatch,
  requested: ReadonlyArray<StoredConnector>
): BotContent | null => {
  const connectors = changedConnectors(present.connectors, requested) ? requested : present.connectors
  return present.name === name && present.active === active && present.connectors === connectors
    ? null
    : { name, active, connectors }
}

/** Members with their default value do not change the command. */
const withoutDefaults = ({ active, url, ...connector }: ConnectorPatch): ConnectorPatch => ({
  ...connector,
  ...(active === undefined || active ? {} : { active }),
  ...(url === undefined || url === null ? {} : { url })
})

/** The fingerprint contains secrets and tokens as a hash, so that they cannot be guessed. */
const commandOf = (operation: string, pathIds: ReadonlyArray<number>, request: BotPatch) => {
  const { connectors, ...rest } = request
  const secrets = (connectors ?? []).map(({ previousSecret, secret, token }) => [
    secret ?? null,
    token ?? null,
    previousSecret ?? null
  ])
  return {
    operation,
    pathIds,
    content: {
      ...rest,
      ...(connectors === undefined ? {} : { connectors: connectors.map(withoutSecret) })
    },
    ...(secrets.flat().every((secret) => secret === null) ? {} : { secret: JSON.stringify(secrets) })
  }
}

const withoutSecret = ({ previousSecret, ...connector }: ConnectorPatch) => ({
  ...Struct.omit(connector, ["secret", "token"]),
  ...(previousSecret === null ? { previousSecret } : {})
})

const writtenOf = (bot: Bot, secrets: GeneratedSecrets): BotWithSecrets => ({
  ...bot,
  connectors: bot.connectors.map((connector) => ({
    ...connector,
    secret: secrets.get(connector.channel) ?? null
  }))
})

const withoutSecrets = (bot: BotWithSecrets): BotWithSecrets => writtenOf(bot, new Map())
