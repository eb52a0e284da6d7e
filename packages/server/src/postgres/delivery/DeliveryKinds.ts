// Kinds of deliveries in SQL: the message itself, or a later change of it (contract §8).

/** Condition on a column `kind`: the delivery sends the message, and not its edit or deletion. */
export const isMessage = "kind not in ('edit', 'delete')"
