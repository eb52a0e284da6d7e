// Receipts of idempotent writes: the unique key is where equal commands queue (docs/contract.md §1.3).
export const receipts: ReadonlyArray<string> = [
  `create table receipts (
    instance_id int8 not null references instances,
    principal text not null,
    operation text not null,
    key text not null,
    id uuid not null,
    fingerprint text not null,
    answer json,
    committed_at timestamptz(3) not null,
    primary key (instance_id, principal, operation, key)
  )`,
  `create index receipts_age on receipts (committed_at)`
]
