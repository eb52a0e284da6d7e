// Limits concurrent attempts by connector and instance; the share of a silent or throttling receiver shrinks (contract §8).
import type { ConnectorKey, FreeSlots, LineKey } from "./DeliveryLines.ts"

/** Concurrent attempts of a process. */
export const ATTEMPTS_MAX = 256
/** Concurrent attempts of one instance, so that hanging receivers of a tenant do not block the others. */
export const ATTEMPTS_INSTANCE_MAX = 128
/** Concurrent attempts of one connector that answers without throttling. */
export const ATTEMPTS_CONNECTOR_MAX = 32
/** Concurrent attempts of a connector that does not answer, or throttles. */
const ATTEMPTS_SILENT_MAX = 2
/** Connectors with a share in memory at most. */
const CONNECTORS_KEPT_MAX = 1_000

interface Share {
  readonly key: ConnectorKey
  max: number
  running: number
  /** Epoch milliseconds; 0: no pause. */
  pausedUntil: number
  /** The chat that was throttled last; null: none. */
  throttled: { readonly chatId: string; readonly until: number } | null
}

export class Shares {
  readonly #connectors = new Map<string, Share>()
  readonly #instances = new Map<number, number>()
  #running = 0

  begin(key: ConnectorKey): void {
    this.#running++
    this.#instances.set(key.instanceId, (this.#instances.get(key.instanceId) ?? 0) + 1)
    this.#shareOf(key).running++
  }

  /** `isResponsive`: undefined if nothing was sent. */
  end(key: ConnectorKey, isResponsive: boolean | undefined, now: number): void {
    this.#running--
    const ofInstance = (this.#instances.get(key.instanceId) ?? 1) - 1
    if (ofInstance > 0) this.#instances.set(key.instanceId, ofInstance)
    else this.#instances.delete(key.instanceId)
    const share = this.#shareOf(key)
    share.running--
    if (isResponsive === true) share.max = Math.min(ATTEMPTS_CONNECTOR_MAX, share.max * 2)
    if (isResponsive === false) share.max = Math.max(ATTEMPTS_SILENT_MAX, Math.floor(share.max / 2))
    const isWhole =
      share.max === ATTEMPTS_CONNECTOR_MAX && Math.max(share.pausedUntil, share.throttled?.until ?? 0) <= now
    if (share.running === 0 && isWhole) this.#connectors.delete(nameOf(key))
  }

  /** Pauses the connector until this time if another of its chats is throttled, too: then the limit is that of the connector. */
  throttle(line: LineKey, until: number, now: number): void {
    const share = this.#shareOf(line)
    const { throttled } = share
    if (throttled !== null && throttled.until > now && throttled.chatId !== line.chatId)
      share.pausedUntil = Math.max(share.pausedUntil, until)
    share.throttled = { chatId: line.chatId, until }
  }

  free(now: number): FreeSlots {
    return {
      lines: ATTEMPTS_MAX - this.#running,
      ofConnector: ATTEMPTS_CONNECTOR_MAX,
      connectors: [...this.#connectors.values()].flatMap((share) => {
        const free = share.pausedUntil > now ? 0 : Math.max(0, share.max - share.running)
        return free === ATTEMPTS_CONNECTOR_MAX ? [] : [{ ...share.key, free }]
      }),
      ofInstance: ATTEMPTS_INSTANCE_MAX,
      instances: [...this.#instances].map(([instanceId, running]) => ({
        instanceId,
        free: Math.max(0, ATTEMPTS_INSTANCE_MAX - running)
      }))
    }
  }

  /** Milliseconds until the first pause ends; undefined without a pause. */
  pauseMillis(now: number): number | undefined {
    const waits = [...this.#connectors.values()].flatMap(({ pausedUntil }) =>
      pausedUntil > now ? [pausedUntil - now] : []
    )
    return waits.length === 0 ? undefined : Math.min(...waits)
  }

  #shareOf(key: ConnectorKey): Share {
    const name = nameOf(key)
    const found = this.#connectors.get(name)
    if (found !== undefined) return found
    this.#evict()
    const { botId, channel, instanceId } = key
    const made = {
      key: { botId, channel, instanceId },
      max: ATTEMPTS_CONNECTOR_MAX,
      running: 0,
      pausedUntil: 0,
      throttled: null
    }
    this.#connectors.set(name, made)
    return made
  }

  // Evicts the oldest idle connector, which then starts with a full share.
  #evict(): void {
    if (this.#connectors.size < CONNECTORS_KEPT_MAX) return
    for (const [name, { running }] of this.#connectors)
      if (running === 0) {
        this.#connectors.delete(name)
        return
      }
  }
}

const nameOf = ({ botId, channel, instanceId }: ConnectorKey): string => `${instanceId}/${botId}/${channel}`
