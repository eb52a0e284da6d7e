// Receipts of idempotent writes. Equal commands wait on the unique key. Receipts of context writes may be kept for ever, so the sweep of
// the others has its own index (contract §1.3).
const contextWrites = `('client.action.register', 'client.state.put', 'context.session.create', 'context.session.message',
  'context.session.close', 'context.session.working-context')`

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
  `create index receipts_age on receipts (committed_at) where operation not in ${contextWrites}`,
  `create index receipts_context_age on receipts (committed_at) where operation in ${contextWrites}`
]
