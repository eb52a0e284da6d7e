// Port of opaque page positions: what a caller hands back is what was handed out, for the same list of the same instance only.
import { Context, type Option } from "effect"

/** The values of the ordered members of the last row, in order; times are epoch milliseconds. */
export type Position = ReadonlyArray<string | number | boolean | null>

/** `purpose` names all that a cursor is bound to (instance, list, filters, order): another purpose opens nothing. */
export class Cursors extends Context.Service<
  Cursors,
  {
    readonly seal: (purpose: string, position: Position) => string
    readonly open: (purpose: string, cursor: string) => Option.Option<Position>
  }
>()("core/lists/Cursors") {}
