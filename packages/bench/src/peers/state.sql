-- Compare-and-set of one state by hand: the session, the client, the version that stands, then receipt, state, history and audit
-- entry; who loses rolls back.
select m.roles from user_access m join refresh_families f on f.instance_id = m.instance_id and f.user_id = m.user_id
  where m.instance_id = 1 and m.status = 'active' and f.revoked_at is null and f.expires_at > now() limit 1;
select c.id from clients c where c.instance_id = 1
  and c.id = (select coalesce(k.merged_into_id, k.id) from clients k where k.instance_id = 1 and k.id = 501);
select version from client_state where instance_id = 1 and client_id = 501 and namespace = 'bench' \gset
begin;
select gen_random_uuid() as key \gset
insert into receipts (instance_id, principal, operation, key, id, fingerprint, committed_at)
  values (1, 'bench', 'client.state.put', :key, :key::uuid, 'sha256:0', now()) on conflict do nothing;
with written as (update client_state set version = version + 1, state = '{"items":[10442],"note":"два"}', updated_at = now()
    where instance_id = 1 and client_id = 501 and namespace = 'bench' and version = :version returning *),
  history as (insert into client_state_history (instance_id, client_id, namespace, version, state, updated_at)
    select instance_id, client_id, namespace, version, state, updated_at from written),
  entry as (insert into audit_log (instance_id, action, actor_type, entity, entity_id, decision, details)
    select 1, 'client.state.put', 'user', 'client', client_id::text, 'allowed', '{}' from written)
  select count(*) as won from written \gset
\if :won
update receipts set answer = '{"receipt":{}}' where instance_id = 1 and principal = 'bench'
  and operation = 'client.state.put' and key = :key;
commit;
\else
rollback;
\endif
