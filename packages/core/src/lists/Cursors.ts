// Port of opaque page positions, which open only for the list of the instance that they were sealed for.
import { Context, type Option } from "effect"

/** The values of the ordered members of the last row, in order; times are epoch milliseconds. */
export type Position = ReadonlyArray<string | number | boolean | null>

/** `purpose` contains everything that a cursor is bound to: instance, list, filters, order. */
export class Cursors extends Context.Service<
  Cursors,
  {
    readonly seal: (purpose: string, position: Position) => string
    readonly open: (purpose: string, cursor: string) => Option.Option<Position>
  }
>()("core/lists/Cursors") {}
