// The id of a recipient's delivery is fixed when the broadcast starts, so that a restored backup sends under the same ids. enqueued says
// that the message was written (docs/contract.md §9.1).
export const fixedDeliveries: ReadonlyArray<string> = [
  // 48 bits of milliseconds, then random ones with the version 7: PostgreSQL has a function for it from 18 on.
  `create function new_delivery_id() returns uuid language sql volatile as $$
    select encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
      placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::int8) from 3) from 1 for 6), 52, 1), 53, 1),
      'hex')::uuid $$`,
  `alter table broadcast_recipients add column enqueued boolean not null default false`,
  `update broadcast_recipients set enqueued = delivery_id is not null,
    delivery_id = case when status = 'queued' then coalesce(delivery_id, new_delivery_id()) else delivery_id end
    where delivery_id is not null or status = 'queued'`,
  `drop index broadcast_recipients_waiting`,
  `create index broadcast_recipients_waiting on broadcast_recipients (instance_id, broadcast_id, id)
    where status = 'queued' and not enqueued`
]
