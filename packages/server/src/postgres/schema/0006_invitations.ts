// Invitations: the hash of the one token that makes an invited user active (docs/contract.md §2, §9).
export const invitations: ReadonlyArray<string> = [
  `alter table users add column invitation_hash bytea`,
  `create unique index users_invitation on users (invitation_hash) where invitation_hash is not null`
]
