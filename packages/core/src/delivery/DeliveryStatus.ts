// The status of a delivery, which only rises until it is read or failed (contract §8).

/** The status of a message to a client; other messages have none. */
export type Delivered = "queued" | "sent" | "delivered" | "read" | "failed"

const after: Readonly<Record<Delivered, ReadonlyArray<Delivered>>> = {
  queued: ["sent", "delivered", "read", "failed"],
  sent: ["delivered", "read", "failed"],
  delivered: ["read"],
  read: [],
  failed: []
}

/** Whether `next` may follow `present`; a trigger of the table deliveries has the same rule. */
export const rises = (present: Delivered, next: Delivered): boolean => after[present].includes(next)
