// A parameter with an array of ids. Without the cast the driver guesses its type from the values.
import { type Fragment, sql } from "./Fragment.ts"

export const idArray = (ids: ReadonlyArray<number>): Fragment => sql`${ids.map(String)}::text[]::int8[]`
