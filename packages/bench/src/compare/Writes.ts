// The writes that `pnpm bench compare` measures. The first one also runs as a script of pgbench: the floor.
import { randomUUID } from "node:crypto"
import type { HttpRequest } from "../KeptConnection.ts"
import { created, write } from "../Requests.ts"
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

const indexes = (count: number) => Array.from({ length: count }, (_, index) => index)
const text = "Доброго дня, де моє замовлення 10442?"

/** A different client for each request, as long as there are enough of them. */
const nextClient = () => {
  let count = 0
  return () => clientId(count++, CLIENTS)
}

export const writes: Readonly<Record<string, ComparedWrite>> = {
  "POST action with externalEventId": {
    script: "action.sql",
    prepare: async (origin, token) => {
      const next = nextClient()
      return () =>
        write(`${origin}/kw/clients/${next()}/context/actions`, token, {
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
    prepare: async (origin, token) => {
      const ids = await Promise.all(
        indexes(CONVERSATIONS).map((index) =>
          created(`${origin}/kw/context/sessions`, token, { clientId: clientId(index, CLIENTS) })
        )
      )
      let count = 0
      return () =>
        write(`${origin}/kw/context/sessions/${ids[count++ % ids.length]}/messages`, token, {
          role: "client",
          content: text,
          externalMessageId: randomUUID()
        })
    }
  },
  "message of a chat": {
    prepare: async (origin, token) => {
      const ids = await Promise.all(
        indexes(CONVERSATIONS).map((index) =>
          created(`${origin}/kw/api/v1/OpChatRooms`, token, {
            clientId: clientId(index, CLIENTS),
            channel: "telegram"
          })
        )
      )
      let count = 0
      return () =>
        write(`${origin}/kw/api/v1/OpChatRooms/${ids[count++ % ids.length]}/messages`, token, {
          authorType: "client",
          text,
          externalMessageId: randomUUID()
        })
    }
  }
}
