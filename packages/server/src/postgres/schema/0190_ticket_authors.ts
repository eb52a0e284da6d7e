// Who wrote the title and description of a ticket. Until now the user who opened it was shown as their author.
export const ticketAuthors: ReadonlyArray<string> = [
  `alter table appeals add column author_type text not null default 'client'
    check (author_type in ('client', 'operator', 'bot', 'system'))`,
  `update appeals set author_type = 'operator' from users author
    where appeals.kind = 'ticket' and author.instance_id = appeals.instance_id and author.id = appeals.author_id
      and author.roles && '{operator,supervisor}'`
]
