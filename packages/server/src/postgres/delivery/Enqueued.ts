// Enqueues deliveries, as parts of the statement that writes their messages (contract §8).
import type { DeliveryKind } from "@rapport/core/delivery/DeliveryLines.ts"
import { sql } from "../sql/Fragment.ts"
import type { Tables } from "../sql/CommonTables.ts"

/** A connector sends what has been due for the longest: a client who waits for an answer comes before a broadcast of the last minute. */
const AHEAD_SECONDS = 60

/**
 * The CTEs `delivery` and `line`: a delivery for each row of `source`, which has the columns instance_id, delivery_id (a UUIDv7),
 * bot_id, channel, chat_id, client_id, appeal_id, message_id and text. The message itself is to be written as queued. A line
 * that waits to try its head again keeps its time. After the commit: DeliverySignal.notify.
 */
export const enqueuedFrom = (kind: DeliveryKind, source: string): Tables => ({
  delivery: sql`insert into deliveries (instance_id, id, kind, bot_id, channel, chat_id, client_id, appeal_id, message_id, text)
      select instance_id, delivery_id, ${kind}::text, bot_id, channel, chat_id, client_id, appeal_id, message_id, text
      from ${sql.literal(source)} returning *`,
  // In one order, so that two statements with many lines do not deadlock.
  line: sql`insert into delivery_lines as line (instance_id, bot_id, channel, chat_id, due_at)
      select distinct instance_id, bot_id, channel, chat_id, now() - make_interval(secs => ${kind === "broadcast" ? 0 : AHEAD_SECONDS}::int4) from delivery
      order by 1, 2, 3, 4
      on conflict (instance_id, bot_id, channel, chat_id) do update set due_at = coalesce(line.due_at, excluded.due_at)`
})
