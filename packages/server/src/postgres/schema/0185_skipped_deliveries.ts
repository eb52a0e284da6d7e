// A delivery of a broadcast that is not sent because of its recipient fails, and the recipient is skipped: one rule for every reason
// (docs/contract.md §9.1).
export const skippedDeliveries: ReadonlyArray<string> = [
  `create or replace function delivery_of_broadcast() returns trigger language plpgsql as $$
  begin
    update broadcast_recipients r
      set status = case when new.status = 'failed' and new.reason in ('cancelled', 'no_identity', 'not_subscribed') then 'skipped'
          else new.status end,
        reason = new.reason, attempts = new.attempts, updated_at = now()
      where r.instance_id = new.instance_id and r.delivery_id = new.id and r.status <> 'skipped';
    return null;
  end $$`
]
