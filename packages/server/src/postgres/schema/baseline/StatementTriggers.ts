// Triggers that run once after a statement.

const rows = {
  insert: "new table as changed",
  update: "old table as before new table as changed",
  delete: "old table as changed"
}

/** Their function reads the rows of the statement from `changed`, and those before an update from `before`. */
export const afterStatements = (
  table: string,
  events: ReadonlyArray<keyof typeof rows>,
  run: string,
  argument = ""
): ReadonlyArray<string> =>
  events.map(
    (event) => `create trigger ${table}_${event}_${run} after ${event} on ${table} referencing ${rows[event]}
      for each statement execute function ${run}(${argument})`
  )
