// Names of the projections: for operators, and in rows of the outbox, of quarantine and of rebuilds.

export const projectionKinds = { evidence: "evidence", "client-memory": "client_memory" } as const

export type IndexName = keyof typeof projectionKinds

export const indexNames = ["evidence", "client-memory"] as const satisfies ReadonlyArray<IndexName>
