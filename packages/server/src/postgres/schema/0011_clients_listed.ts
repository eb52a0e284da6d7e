// What the list of clients walks, and who of them has no appeal yet, kept by triggers: somebody who may see just those
// would otherwise look for the appeals of every client of the instance (docs/contract.md §1.2, §2).
export const clientsListed: ReadonlyArray<string> = [
  `alter table clients add column has_appeals boolean not null default false`,
  `update clients c set has_appeals = true
    where exists (select 1 from appeals a where a.instance_id = c.instance_id and a.client_id = c.id)`,
  `create index clients_listed on clients (instance_id, created_at desc, id desc) where merged_into_id is null`,
  `create index clients_without_appeals on clients (instance_id, created_at desc, id desc)
    where not has_appeals and merged_into_id is null`,
  // What an operator sees of his subjects without having taken part in it.
  `create index appeals_unassigned on appeals (instance_id, subject_id) where operator_id is null`,
  // Appeals are never deleted, so what is set once stays; only the first appeal of a client writes.
  `create function appeals_owned() returns trigger language plpgsql as $$
  begin
    update clients c set has_appeals = true from (select distinct instance_id, client_id from changed) a
      where c.instance_id = a.instance_id and c.id = a.client_id and not c.has_appeals;
    return null;
  end $$`,
  `create trigger appeals_inserted_owned after insert on appeals referencing new table as changed
    for each statement execute function appeals_owned()`,
  // A merge gives them to another.
  `create function appeal_moved() returns trigger language plpgsql as $$
  begin
    update clients c set has_appeals = true
      where c.instance_id = new.instance_id and c.id = new.client_id and not c.has_appeals;
    return null;
  end $$`,
  `create trigger appeals_moved after update of client_id on appeals for each row
    when (old.client_id is distinct from new.client_id) execute function appeal_moved()`
]
