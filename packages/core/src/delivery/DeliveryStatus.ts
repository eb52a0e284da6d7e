// How far a message got on its way to the client: the status only rises, and failed ends (contract §8).

/** The status of a message that is to leave the house; other messages have none. */
export type Delivered = "queued" | "sent" | "delivered" | "read" | "failed"

const after: Readonly<Record<Delivered, ReadonlyArray<Delivered>>> = {
  queued: ["sent", "delivered", "read", "failed"],
  sent: ["delivered", "read", "failed"],
  delivered: ["read"],
  read: [],
  failed: []
}

/** Whether a delivery of the one status may take the other; the table deliveries has a trigger of the same rule. */
export const rises = (present: Delivered, next: Delivered): boolean => after[present].includes(next)
