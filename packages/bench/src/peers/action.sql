-- The four rows of POST action with an externalEventId in one transaction: receipt, action, audit entry, receipt's answer.
-- The client is one of 2,000, as in the measured requests.
\set client random(900000, 901999)
begin;
select gen_random_uuid() as key \gset
insert into receipts (instance_id, principal, operation, key, id, fingerprint, committed_at)
  values (1, 'bench', 'client.action.register', :key, :key::uuid, 'sha256:0', now()) on conflict do nothing;
with made as (insert into client_actions (instance_id, id, client_id, type, actor_type, source, external_event_id, occurred_at,
    recorded_at, summary, payload, fingerprint, receipt)
  values (1, :key::uuid, :client, 'order.created', 'client', 'shop', :key, '2026-03-01T08:00:00Z', now(),
    'Замовлення 10442, два роутери', '{"total":3198}', 'sha256:0', '{"id":"0"}') returning client_id)
insert into audit_log (instance_id, action, actor_type, entity, entity_id, decision, details)
  select 1, 'client.action.register', 'user', 'client', client_id::text, 'allowed', '{}' from made;
update receipts set answer = '{"receipt":{}}' where instance_id = 1 and principal = 'bench'
  and operation = 'client.action.register' and key = :key;
commit;
