// External tokens that see what one user sees.
export const tokensActingAsUsers: ReadonlyArray<string> = [
  `alter table external_tokens add column acts_as int8,
    add foreign key (instance_id, acts_as) references users (instance_id, id)`
]
