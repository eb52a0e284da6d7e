// The writes that `pnpm bench compare` measures. The first one also runs as a script of pgbench: the floor.
import { randomUUID } from "node:crypto"
import { createConversation, type HttpRequest, write } from "../Requests.ts"
import { clientId } from "./ManyClients.ts"

export interface ComparedWrite {
  /** A script in `peers/` that writes the same rows with pgbench. */
  readonly script?: string
  /** Prepares the records that are written to; the result makes the next request. */
  readonly prepare: (origin: string, token: string) => Promise<() => HttpRequest>
}

/** Every action and message goes to one of so many clients, sessions or chats. */
const CLIENTS = 2_000
const CONVERSATIONS = 200

const text = "Доброго дня, де моє замовлення 10442?"

/** Creates the conversations, and sends every message to the next one. */
const messages =
  (place: string, of: object, message: object): ComparedWrite["prepare"] =>
  async (origin, token) => {
    const url = `${origin}${place}`
    const ids: Array<string> = []
    for (let n = 0; n < CONVERSATIONS; n++)
      ids.push(await createConversation(url, token, { clientId: clientId(n, CLIENTS), ...of }))
    let count = 0
    return () =>
      write(`${url}/${ids[count++ % ids.length]}/messages`, token, {
        ...message,
        externalMessageId: randomUUID()
      })
  }

export const writes: Readonly<Record<string, ComparedWrite>> = {
  "POST action with externalEventId": {
    script: "action.sql",
    prepare: async (origin, token) => {
      let count = 0
      return () =>
        write(`${origin}/kw/clients/${clientId(count++, CLIENTS)}/context/actions`, token, {
          type: "order.created",
          source: "shop",
          externalEventId: randomUUID(),
          occurredAt: "2026-03-01T08:00:00Z",
          actorType: "client",
          summary: "Замовлення 10442, два роутери",
          payload: { total: 3198 }
        })
    }
  },
  "message of a session": {
    prepare: messages("/kw/context/sessions", {}, { role: "client", content: text })
  },
  "message of a chat": {
    prepare: messages("/kw/api/v1/OpChatRooms", { channel: "telegram" }, { authorType: "client", text })
  }
}
