// Receipts of context writes may be kept for ever: the sweep of the others does not walk over them (§1.3).
const contextWrites = `('client.action.register', 'client.state.put', 'context.session.create', 'context.session.message',
  'context.session.close', 'context.session.working-context')`

export const receiptsKept: ReadonlyArray<string> = [
  `drop index receipts_age`,
  `create index receipts_age on receipts (committed_at) where operation not in ${contextWrites}`,
  `create index receipts_context_age on receipts (committed_at) where operation in ${contextWrites}`
]
