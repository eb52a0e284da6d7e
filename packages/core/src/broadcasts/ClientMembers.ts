// Requires clients.read for members of clients in broadcasts (contract §9.1).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { Broadcast } from "@rapport/contract/broadcasts/Broadcast.ts"
import type { AccessDenied } from "@rapport/contract/Errors.ts"
import { Effect } from "effect"
import { Permissions } from "../access/Permissions.ts"
import { sentBackJson } from "../json/SentBackJson.ts"
import { type ListedRecord, type ListRows, withRecords } from "../lists/ListRequest.ts"

/** Fails if the caller would learn or use members of clients without clients.read. */
export const requireClients = (
  session: AuthorizedSession,
  isNeeded = true
): Effect.Effect<void, AccessDenied> =>
  isNeeded ? Permissions.require(session, "clients.read") : Effect.void

const canRead = ({ permissions }: AuthorizedSession) => permissions.has("clients.read")
const hasFilter = (audience: unknown) =>
  typeof audience === "object" && audience !== null && "filter" in audience

/** The broadcast as the caller may see it: values of a filter are members of clients. */
export const shownTo = (session: AuthorizedSession, broadcast: Broadcast): Broadcast =>
  canRead(session) || !hasFilter(broadcast.audience) ? broadcast : { ...broadcast, audience: {} }

/** The same for a page of the list. */
export const rowsShownTo = (session: AuthorizedSession, rows: ListRows): ListRows =>
  canRead(session)
    ? rows
    : withRecords(
        rows,
        (record): ListedRecord => (hasFilter(record["audience"]) ? { ...record, audience: {} } : record),
        sentBackJson
      )
