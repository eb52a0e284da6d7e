// Every room of the interface with its entries. A new room: a file beside this one, and a line here.
import { entries as access } from "./AccessWorst.ts"
import { entries as appeals } from "./AppealsWorst.ts"
import { entries as context } from "./ContextWorst.ts"
import { entries as customData } from "./CustomDataWorst.ts"
import { entries as directory } from "./DirectoryWorst.ts"
import { entries as quality } from "./QualityWorst.ts"
import { entries as scenarios } from "./ScenariosWorst.ts"
import type { Entries, Operation } from "./WorstRequests.ts"

const table: Entries = {
  ...access,
  ...appeals,
  ...context,
  ...customData,
  ...directory,
  ...quality,
  ...scenarios
}

export const entryOf = ({ id }: Operation) => table[id] ?? (() => [])

/** Routes with a body need an entry; the others are measured by their largest answer alone. */
export const lacksEntry = ({ hasBody, id }: Operation): boolean => hasBody && table[id] === undefined
