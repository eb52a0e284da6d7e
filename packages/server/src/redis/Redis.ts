// The connection to Redis: scripts that run there whole, each in one exchange with a deadline. Loaded only where REDIS_URL is set.
import { createClient } from "@redis/client"
import { logOnce } from "@rapport/core/failures/LogOnce.ts"
import { Context, Data, Duration, Effect, Layer, Metric, Redacted, type Scope } from "effect"
import { createHash } from "node:crypto"
import type { RedisSettings } from "../config/RedisSettings.ts"

/** How often a Redis that is away is tried; no request waits for it meanwhile. */
const REDIS_PROBE_MILLIS = 250
/** How long the start waits for Redis, beyond what a request does. */
const REDIS_START_MILLIS_MAX = 1_000
/** How long a connection may take to be made. */
const REDIS_CONNECT_MILLIS_MAX = 2_000
/** Longest pause between two tries to connect. */
const REDIS_RECONNECT_MILLIS_MAX = 1_000
/** A silent connection is asked for a sign of life so often, */
const REDIS_PING_MILLIS = 3_000
/** and is given up when none has come for so long. */
const REDIS_SILENT_MILLIS_MAX = 10_000
/** Commands without an answer: further ones fail at once. */
const REDIS_COMMANDS_WAITING_MAX = 10_000

/** Redis did not do what it was asked; the message is for logs and holds no secret. */
class RedisFault extends Data.TaggedError("RedisFault")<{ readonly message: string }> {}

export interface RedisScript {
  readonly text: string
  readonly sha: string
}

export const redisScript = (text: string): RedisScript => ({
  text,
  sha: createHash("sha1").update(text).digest("hex")
})

export class Redis extends Context.Service<
  Redis,
  {
    /** Fails at once while Redis is away: after the first failure it is left alone until a probe succeeds. */
    readonly run: (
      script: RedisScript,
      keys: ReadonlyArray<string>,
      args: ReadonlyArray<string | number>
    ) => Effect.Effect<unknown, RedisFault>
  }
>()("@rapport/server/redis/Redis") {
  /** The start goes on without Redis where it does not answer within a second. */
  static readonly layer = (settings: RedisSettings): Layer.Layer<Redis> =>
    Layer.effect(Redis, makeRedis(settings))
}

/** A command that writes: a Redis that is full, or a replica, is not back. */
const probeScript = redisScript("return redis.call('SET', KEYS[1], '1', 'PX', 1000)")

const isAway = new RedisFault({ message: "it is away" })

const sharedGauge = Metric.gauge("rapport.limiter.shared", {
  description: "1 while limits are shared through Redis, 0 while this process counts by itself"
})

const makeRedis = Effect.fnUntraced(function* (
  settings: RedisSettings
): Effect.fn.Return<Redis["Service"], never, Scope.Scope> {
  const scope = yield* Effect.scope
  const send = yield* connected(settings)
  const said = logOnce("Redis is away: each process counts limits for itself until it is back")
  let away = true

  const probe = send(probeScript, ["rapport:probe"], [])
  const back = Effect.gen(function* () {
    away = false
    yield* said(Effect.void)
    yield* Metric.update(sharedGauge, 1)
    yield* Effect.logInfo("limits are shared through Redis")
  })
  const untilBack = Effect.sleep(REDIS_PROBE_MILLIS).pipe(
    Effect.andThen(probe),
    Effect.retry({ while: () => true }),
    Effect.andThen(back)
  )
  const lost = Effect.fnUntraced(function* (fault: RedisFault) {
    yield* Metric.update(sharedGauge, 0)
    yield* said(Effect.fail(fault))
    yield* Effect.forkIn(untilBack, scope)
  })
  const failed = (fault: RedisFault) =>
    Effect.suspend(() => {
      if (away) return Effect.void
      away = true
      return lost(fault)
    })

  yield* Effect.sleep("10 millis").pipe(
    Effect.andThen(probe),
    Effect.retry({ while: () => true }),
    Effect.timeoutOrElse({ duration: REDIS_START_MILLIS_MAX + settings.timeoutMillis, orElse: () => probe }),
    Effect.matchEffect({ onFailure: lost, onSuccess: () => back })
  )
  return {
    run: (script, keys, args) =>
      Effect.suspend(() => (away ? Effect.fail(isAway) : Effect.tapError(send(script, keys, args), failed)))
  }
})

/** Connects and writes as the service does; the milliseconds that a write took. */
export const tryRedis = (settings: RedisSettings): Effect.Effect<number, RedisFault> =>
  Effect.gen(function* () {
    const probe = (yield* connected(settings))(probeScript, ["rapport:probe"], [])
    const retried = Effect.sleep("10 millis").pipe(
      Effect.andThen(probe),
      Effect.retry({ while: () => true }),
      Effect.timeoutOrElse({ duration: REDIS_START_MILLIS_MAX, orElse: () => probe })
    )
    yield* retried
    const [took] = yield* Effect.timed(probe)
    return Duration.toMillis(took)
  }).pipe(Effect.scoped)

/** How scripts are sent; the client connects in the background, again and again. */
const connected = Effect.fnUntraced(function* (settings: RedisSettings) {
  const { certificates, database, host, password, port, tls, username } = settings
  const client = createClient({
    RESP: 2,
    socket: {
      host,
      port,
      connectTimeout: REDIS_CONNECT_MILLIS_MAX,
      socketTimeout: REDIS_SILENT_MILLIS_MAX,
      reconnectStrategy: (retries) => Math.min(50 * 2 ** Math.min(retries, 10), REDIS_RECONNECT_MILLIS_MAX),
      ...(tls ? { tls: true, ...(certificates === undefined ? {} : { ca: certificates }) } : { tls: false })
    },
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password: Redacted.value(password) }),
    database,
    disableOfflineQueue: true,
    disableClientInfo: true,
    maintNotifications: "disabled",
    commandsQueueMaxLength: REDIS_COMMANDS_WAITING_MAX,
    pingInterval: REDIS_PING_MILLIS
  })
  // The reason of what follows: commands of a client without a connection fail with less.
  let trouble = ""
  client.on("error", (error: unknown) => {
    trouble = messageOf(error)
  })
  yield* Effect.acquireRelease(
    Effect.sync(() => void client.connect().catch(() => undefined)),
    () => Effect.sync(() => client.destroy())
  )
  const command = async (script: RedisScript, keys: ReadonlyArray<string>, args: ReadonlyArray<string>) => {
    const rest = [String(keys.length), ...keys, ...args]
    try {
      return await client.sendCommand(["EVALSHA", script.sha, ...rest])
    } catch (error) {
      // A Redis that was started again knows no scripts.
      if (!messageOf(error).startsWith("NOSCRIPT")) throw error
      return client.sendCommand(["EVAL", script.text, ...rest])
    }
  }
  return (
    script: RedisScript,
    keys: ReadonlyArray<string>,
    args: ReadonlyArray<string | number>
  ): Effect.Effect<unknown, RedisFault> =>
    Effect.callback((resume) => {
      if (!client.isReady) return resume(Effect.fail(new RedisFault({ message: trouble || "no connection" })))
      const late = () => resume(Effect.fail(new RedisFault({ message: "it does not answer in time" })))
      // An answer that arrived while this process was busy itself is read before the time is up.
      const timer = setTimeout(() => setImmediate(late), settings.timeoutMillis)
      command(script, keys, args.map(String)).then(
        (answer) => {
          clearTimeout(timer)
          resume(Effect.succeed(answer))
        },
        (error: unknown) => {
          clearTimeout(timer)
          resume(Effect.fail(new RedisFault({ message: messageOf(error) })))
        }
      )
      return Effect.sync(() => clearTimeout(timer))
    })
})

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
