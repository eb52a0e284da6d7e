// What a provider says of a failure in its own words (docs/contract.md §8).
export const failureDescriptions: ReadonlyArray<string> = [
  `alter table deliveries add column description text`,
  `alter table broadcast_recipients add column description text`,
  `create or replace function delivery_of_broadcast() returns trigger language plpgsql as $$
  begin
    update broadcast_recipients r
      set status = case when new.status = 'failed' and new.reason in ('cancelled', 'no_identity', 'not_subscribed') then 'skipped'
          else new.status end,
        reason = new.reason, description = new.description, attempts = new.attempts, updated_at = now()
      where r.instance_id = new.instance_id and r.delivery_id = new.id and r.status <> 'skipped';
    return null;
  end $$`
]
