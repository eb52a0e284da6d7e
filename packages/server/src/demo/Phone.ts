// The latest messages of one chat, without repeated deliveries.
import { BoundedMap } from "@rapport/core/values/BoundedMap.ts"

interface Bubble {
  /** Of a message of the company. */
  readonly messageId?: number
  readonly from: "company" | "client"
  readonly text: string
  /** Epoch milliseconds. */
  readonly at: number
}

interface Delivered {
  /** The webhook-id, which a repeat has too. */
  readonly deliveryId: string
  readonly messageId: number
  readonly text: string
}

const BUBBLES_MAX = 200
/** Cached ids that detect repeated deliveries. */
const DELIVERIES_MAX = 1_000

export class Phone {
  readonly #bubbles: Array<Bubble> = []
  readonly #delivered = new BoundedMap<string, true>(DELIVERIES_MAX)
  #unread: Array<number> = []

  get bubbles(): ReadonlyArray<Bubble> {
    return this.#bubbles
  }

  /** Returns false for a repeat. */
  receive({ deliveryId, messageId, text }: Delivered, at: number): boolean {
    if (this.#delivered.get(deliveryId) !== undefined) return false
    this.#delivered.set(deliveryId, true)
    this.#unread.push(messageId)
    this.#show({ from: "company", text, at, messageId })
    return true
  }

  /** Shows another text, or removes the message: null. */
  change(messageId: number, text: string | null): void {
    const place = this.#bubbles.findIndex((bubble) => bubble.messageId === messageId)
    const bubble = this.#bubbles[place]
    if (bubble !== undefined) this.#bubbles.splice(place, 1, ...(text === null ? [] : [{ ...bubble, text }]))
  }

  write(text: string, at: number): void {
    this.#show({ from: "client", text, at })
  }

  /** Marks all messages as read and returns those that were unread. */
  read(): ReadonlyArray<number> {
    const read = this.#unread
    this.#unread = []
    return read
  }

  #show(bubble: Bubble): void {
    this.#bubbles.push(bubble)
    if (this.#bubbles.length > BUBBLES_MAX) this.#bubbles.shift()
  }
}
