// The status of a delivery, which only rises until it is read or failed (contract §8).

/** The status of a message to a client; other messages have none. */
export type ProviderStatus = "queued" | "sent" | "delivered" | "read" | "failed"

const after: Readonly<Record<ProviderStatus, ReadonlyArray<ProviderStatus>>> = {
  queued: ["sent", "delivered", "read", "failed"],
  sent: ["delivered", "read", "failed"],
  delivered: ["read"],
  read: [],
  failed: []
}

/** Whether `next` may follow `present`; a trigger of the table deliveries has the same rule. */
export const isLaterStatus = (present: ProviderStatus, next: ProviderStatus): boolean =>
  after[present].includes(next)
