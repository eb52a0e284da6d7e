-- What POST action writes, each statement by hand: the session, the client, the receipt, the action with its audit entry.
select m.roles from user_access m join refresh_families f on f.instance_id = m.instance_id and f.user_id = m.user_id
  where m.instance_id = 1 and m.status = 'active' and f.revoked_at is null and f.expires_at > now() limit 1;
select c.id from clients c where c.instance_id = 1
  and c.id = (select coalesce(k.merged_into_id, k.id) from clients k where k.instance_id = 1 and k.id = 501);
begin;
select gen_random_uuid() as key \gset
insert into receipts (instance_id, principal, operation, key, id, fingerprint, committed_at)
  values (1, 'bench', 'client.action.register', :key, :key::uuid, 'sha256:0', now()) on conflict do nothing;
with made as (insert into client_actions (instance_id, id, client_id, type, actor_type, occurred_at, recorded_at, summary,
    payload, fingerprint, receipt)
  values (1, :key::uuid, 501, 'order.created', 'client', '2026-03-01T08:00:00Z', now(), 'Замовлення 10442, два роутери',
    '{"total":3198}', 'sha256:0', '{"id":"0"}') returning client_id)
insert into audit_log (instance_id, action, actor_type, entity, entity_id, decision, details)
  select 1, 'client.action.register', 'user', 'client', client_id::text, 'allowed', '{}' from made;
update receipts set answer = '{"receipt":{}}' where instance_id = 1 and principal = 'bench'
  and operation = 'client.action.register' and key = :key;
commit;
