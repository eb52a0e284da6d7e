// What the lists of chats and tickets walk, and positions as wide as the contract's integers (docs/contract.md §1.2, §7).
export const appeals: ReadonlyArray<string> = [
  `create index appeals_listed on appeals (instance_id, kind, created_at desc, id desc)`,
  `create index appeals_ticket_status on appeals (instance_id, status) where kind = 'ticket'`,
  `alter table ticket_statuses alter column position type int8`
]
