// Which process projects into an index that all of them share: one row per kind, taken over when it is not renewed.
export const projectionLeases: ReadonlyArray<string> = [
  `create table projection_leases (
    kind text primary key,
    process_id uuid not null,
    held_until timestamptz(3) not null
  )`
]
