// What a client's phone holds: the last messages of one chat, each once however often it is delivered.
import { BoundedMap } from "@rapport/core/values/BoundedMap.ts"

/** `from`: whose bubble it is. */
interface Bubble {
  readonly from: "company" | "client"
  readonly text: string
  /** Epoch milliseconds. */
  readonly at: number
}

interface Delivered {
  /** The webhook-id: a repeat has the same. */
  readonly deliveryId: string
  readonly messageId: number
  readonly text: string
}

/** Bubbles that are kept; older ones go. */
const BUBBLES_MAX = 200
/** Ids of deliveries by which a repeated one is recognised. */
const DELIVERIES_MAX = 1_000

export class Phone {
  readonly #bubbles: Array<Bubble> = []
  readonly #delivered = new BoundedMap<string, true>(DELIVERIES_MAX)
  #unread: Array<number> = []

  get bubbles(): ReadonlyArray<Bubble> {
    return this.#bubbles
  }

  /** False where it was here before. */
  receive({ deliveryId, messageId, text }: Delivered, at: number): boolean {
    if (this.#delivered.get(deliveryId) !== undefined) return false
    this.#delivered.set(deliveryId, true)
    this.#unread.push(messageId)
    this.#show({ from: "company", text, at })
    return true
  }

  write(text: string, at: number): void {
    this.#show({ from: "client", text, at })
  }

  /** The messages that were read just now, and not before. */
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
