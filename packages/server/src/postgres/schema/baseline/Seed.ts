// Has a row once a seed is complete.
export const seed: ReadonlyArray<string> = [
  `create table seed_marker (
    single boolean primary key default true check (single),
    kind text not null,
    finished_at timestamptz(3) not null default now()
  )`
]
