// The projections: how an operator names their indexes, and how rows of the outbox, of quarantine and of rebuilds do.

export const projectionKinds = { evidence: "evidence", "client-memory": "client_memory" } as const

export type IndexName = keyof typeof projectionKinds

export const indexNames = ["evidence", "client-memory"] as const satisfies ReadonlyArray<IndexName>
