// Shows at a recipient of a broadcast why its message waits, also after an attempt that did not count.
export const throttledRecipients: ReadonlyArray<string> = [
  `drop trigger deliveries_of_broadcast on deliveries`,
  `create trigger deliveries_of_broadcast after update on deliveries for each row
    when (new.kind = 'broadcast'
      and (old.status, old.attempts, old.reason) is distinct from (new.status, new.attempts, new.reason))
    execute function delivery_of_broadcast()`
]
