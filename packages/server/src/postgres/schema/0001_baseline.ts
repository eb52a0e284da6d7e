// The tables of the first release, a file per noun, in the order of their references. The release freezes this migration: later changes
// are new migrations in Migrations.ts.
import { foldedTexts } from "./baseline/FoldedTexts.ts"
import { instances } from "./baseline/Instances.ts"
import { users } from "./baseline/Users.ts"
import { directory } from "./baseline/Directory.ts"
import { access } from "./baseline/Access.ts"
import { audit } from "./baseline/Audit.ts"
import { clients } from "./baseline/Clients.ts"
import { appeals } from "./baseline/Appeals.ts"
import { sessions } from "./baseline/Sessions.ts"
import { files } from "./baseline/Files.ts"
import { outbox } from "./baseline/Outbox.ts"
import { clientMemory } from "./baseline/ClientMemory.ts"
import { imports } from "./baseline/Imports.ts"
import { receipts } from "./baseline/Receipts.ts"
import { statistics } from "./baseline/Statistics.ts"
import { quality } from "./baseline/Quality.ts"
import { customData } from "./baseline/CustomData.ts"
import { delivery } from "./baseline/Delivery.ts"
import { broadcasts } from "./baseline/Broadcasts.ts"
import { seed } from "./baseline/Seed.ts"

/** The statements in order, all in the transaction of the migrator. */
export const baseline: ReadonlyArray<string> = [
  ...foldedTexts,
  ...instances,
  ...users,
  ...directory,
  ...access,
  ...audit,
  ...clients,
  ...appeals,
  ...sessions,
  ...files,
  ...outbox,
  ...clientMemory,
  ...imports,
  ...receipts,
  ...statistics,
  ...quality,
  ...customData,
  ...delivery,
  ...broadcasts,
  ...seed
]
