// The search index is handed each appeal of a client when the client is erased. Only a change of the appeal itself handed it over:
// one without a text of its own, as a closed chat that moved in, had none, and the index kept the words of its messages.
export const erasedAppeals: ReadonlyArray<string> = [
  `create function client_erased() returns trigger language plpgsql as $$
  begin
    insert into outbox (instance_id, kind, key) select instance_id, 'evidence', id from appeals
      where instance_id = new.instance_id and client_id = new.id;
    return null;
  end $$`,
  `create trigger clients_erased after update of erased_at on clients
    for each row when (old.erased_at is null and new.erased_at is not null) execute function client_erased()`,
  // Those of clients that were erased before.
  `insert into outbox (instance_id, kind, key) select a.instance_id, 'evidence', a.id
    from clients c join appeals a on a.instance_id = c.instance_id and a.client_id = c.id where c.erased_at is not null`
]
