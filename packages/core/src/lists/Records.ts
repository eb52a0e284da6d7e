// The types of the use cases that every kind of record has (contract §1.2, §1.3, §9).

/** Idempotency key; without one a repeat is a new command. */
export type IdempotencyKey = string | null

/** A patch without its expected version. */
export type ChangeOf<Patch> = Omit<Patch, "expectedVersion">
