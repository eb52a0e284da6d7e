// The tickets that a user wrote, which he sees wherever they go (docs/contract.md §2).
export const appealAuthors: ReadonlyArray<string> = [
  `create index appeals_author on appeals (instance_id, author_id) where author_id is not null`
]
