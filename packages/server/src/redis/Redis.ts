// The connection to Redis: runs Lua scripts with a timeout. Loaded only if REDIS_URL is set.
import { createClient } from "@redis/client"
import { logOnce } from "@rapport/core/failures/LogOnce.ts"
import { Context, Data, Duration, Effect, Layer, Metric, Redacted, type Scope } from "effect"
import { createHash } from "node:crypto"
import type { RedisSettings } from "../config/RedisSettings.ts"

/** The interval of probes while Redis is unavailable. No request waits for them. */
const REDIS_PROBE_MILLIS = 250
/** The start waits this long for Redis, in addition to the timeout of a last request. */
const REDIS_START_MILLIS_MAX = 1_000
const REDIS_CONNECT_MILLIS_MAX = 2_000
/** The longest pause between two connection attempts. */
const REDIS_RECONNECT_MILLIS_MAX = 1_000
const REDIS_PING_MILLIS = 3_000
/** A connection that receives nothing for so long is closed. */
const REDIS_SILENT_MILLIS_MAX = 10_000
/** Commands without an answer; further ones fail immediately. */
const REDIS_COMMANDS_WAITING_MAX = 10_000

/** Redis did not run a script. The message is for logs and contains no secret. */
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
    /** Fails immediately while Redis is unavailable: from the first failure until a probe succeeds. */
    readonly run: (
      script: RedisScript,
      keys: ReadonlyArray<string>,
      args: ReadonlyArray<string | number>
    ) => Effect.Effect<unknown, RedisFault>
  }
>()("@rapport/server/redis/Redis") {
  /** The start continues without Redis if it does not answer within a second. */
  static readonly layer = (settings: RedisSettings): Layer.Layer<Redis> =>
    Layer.effect(Redis, makeRedis(settings))
}

/** Writes, because a full Redis or a replica is not usable. */
const probeScript = redisScript("return redis.call('SET', KEYS[1], '1', 'PX', 1000)")

const unavailable = new RedisFault({ message: "Redis is unavailable" })

const sharedGauge = Metric.gauge("rapport.limiter.shared", {
  description: "1 while limits are shared through Redis, 0 while each process counts separately"
})

const makeRedis = Effect.fnUntraced(function* (
  settings: RedisSettings
): Effect.fn.Return<Redis["Service"], never, Scope.Scope> {
  const scope = yield* Effect.scope
  const send = yield* openConnection(settings)
  const logUnavailable = logOnce(
    "Redis is unavailable: until it is back each process counts limits separately"
  )
  let isAvailable = false

  const probe = send(probeScript, ["rapport:probe"], [])
  const recovered = Effect.gen(function* () {
    isAvailable = true
    yield* logUnavailable(Effect.void)
    yield* Metric.update(sharedGauge, 1)
    yield* Effect.logInfo("limits are shared through Redis")
  })
  const probeUntilAvailable = Effect.sleep(REDIS_PROBE_MILLIS).pipe(
    Effect.andThen(probe),
    Effect.retry({ while: () => true }),
    Effect.andThen(recovered)
  )
  const reportOutage = Effect.fnUntraced(function* (fault: RedisFault) {
    yield* Metric.update(sharedGauge, 0)
    yield* logUnavailable(Effect.fail(fault))
    yield* Effect.forkIn(probeUntilAvailable, scope)
  })
  const markUnavailable = (fault: RedisFault) =>
    Effect.suspend(() => {
      if (!isAvailable) return Effect.void
      isAvailable = false
      return reportOutage(fault)
    })

  yield* Effect.matchEffect(firstAnswer(probe), { onFailure: reportOutage, onSuccess: () => recovered })
  return {
    run: (script, keys, args) =>
      Effect.suspend(() =>
        isAvailable ? Effect.tapError(send(script, keys, args), markUnavailable) : Effect.fail(unavailable)
      )
  }
})

/** Returns how long a write takes, in milliseconds. */
export const tryRedis = (settings: RedisSettings): Effect.Effect<number, RedisFault> =>
  Effect.gen(function* () {
    const probe = (yield* openConnection(settings))(probeScript, ["rapport:probe"], [])
    yield* firstAnswer(probe)
    const [took] = yield* Effect.timed(probe)
    return Duration.toMillis(took)
  }).pipe(Effect.scoped)

/** Waits for the first connection. The last probe reports why Redis does not answer. */
const firstAnswer = (probe: Effect.Effect<unknown, RedisFault>) =>
  Effect.sleep("10 millis").pipe(
    Effect.andThen(probe),
    Effect.retry({ while: () => true }),
    Effect.timeoutOrElse({ duration: REDIS_START_MILLIS_MAX, orElse: () => probe })
  )

/** Returns the function that sends a script. The client connects in the background, repeatedly. */
const openConnection = Effect.fnUntraced(function* (settings: RedisSettings) {
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
  // A command without a connection fails without the reason.
  let connectionError = ""
  client.on("error", (error: unknown) => {
    connectionError = messageOf(error)
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
      // A restarted Redis has no scripts.
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
      if (!client.isReady)
        return resume(Effect.fail(new RedisFault({ message: connectionError || "no connection" })))
      const late = () => resume(Effect.fail(new RedisFault({ message: "Redis does not answer in time" })))
      // setImmediate: an answer that arrived while this process was busy is read first.
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
