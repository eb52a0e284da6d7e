// The rows of a demo by table, for tests.
import { type DemoSize } from "./DemoExtents.ts"
import { demoData, type SeedBatch, type SeedTable, type SeedTables } from "./DemoData.ts"

/** The day of seeding of every test. */
export const midnight = Date.UTC(2026, 9, 5)

/** Generates a demo; the result returns the rows of a table. */
export const gather = (size: DemoSize) => {
  const batches: ReadonlyArray<SeedBatch> = [...demoData({ size, midnight })]
  return <T extends SeedTable>(table: T): ReadonlyArray<SeedTables[T]> => {
    const isOf = (batch: SeedBatch): batch is SeedBatch & { readonly rows: ReadonlyArray<SeedTables[T]> } =>
      batch.table === table
    return batches.filter(isOf).flatMap((batch): ReadonlyArray<SeedTables[T]> => batch.rows)
  }
}

export const byAppeal = <A extends { readonly appealId: number }>(
  rows: ReadonlyArray<A>
): ReadonlyMap<number, ReadonlyArray<A>> => Map.groupBy(rows, ({ appealId }) => appealId)
