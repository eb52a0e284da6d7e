// The changes that a caller may make to a written message (contract §7, "Editing and deleting"); pure.
import type { AppealMessage } from "@rapport/contract/appeals/AppealsApi.ts"
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { AccessDenied, NotFound, StateNotAllowed, type VersionConflict } from "@rapport/contract/Errors.ts"
import { Effect } from "effect"
import { requireVersion } from "../receipts/Writes.ts"

/** The author of an operator message, or a supervisor. The maker of a token that acts as a supervisor may lack that role. */
const mayChange = (
  { roles, seesAsUser, tokenId, userId }: AuthorizedSession,
  { authorId, authorType }: AppealMessage
): boolean => {
  const isActing = tokenId !== null && seesAsUser
  return (
    (authorType === "operator" && authorId === userId) ||
    (!isActing && roles.some((role) => role === "supervisor" || role === "administrator"))
  )
}

const notAllowed = (detail: string) => Effect.fail(new StateNotAllowed({ detail }))

interface Sending {
  /** The channel may have the message already, or get it now. */
  readonly isBeingSent: boolean
}
const beingSent = "the message is being sent: try again after it was sent or failed"

/** The edited message; null if the text is the same. */
export const editedMessage = Effect.fnUntraced(function* (
  session: AuthorizedSession,
  message: AppealMessage,
  {
    expectedVersion,
    isBeingSent,
    now,
    text
  }: Sending & { readonly expectedVersion: number; readonly now: number; readonly text: string }
): Effect.fn.Return<AppealMessage | null, AccessDenied | StateNotAllowed | VersionConflict> {
  if (!mayChange(session, message)) return yield* new AccessDenied()
  if (message.deletedAt !== null) return yield* notAllowed("the message is deleted")
  if (message.authorType !== "operator") return yield* notAllowed("only messages of operators can be edited")
  yield* requireVersion(message.version, expectedVersion)
  if (text === message.text) return null
  if (isBeingSent) return yield* notAllowed(beingSent)
  return { ...message, text, version: message.version + 1, editedAt: now }
})

export const deletedMessage = Effect.fnUntraced(function* (
  session: AuthorizedSession,
  message: AppealMessage,
  { isBeingSent, now }: Sending & { readonly now: number }
): Effect.fn.Return<AppealMessage, AccessDenied | NotFound | StateNotAllowed> {
  if (message.deletedAt !== null) return yield* new NotFound()
  if (!mayChange(session, message)) return yield* new AccessDenied()
  if (isBeingSent) return yield* notAllowed(beingSent)
  return { ...message, text: "", attachments: [], version: message.version + 1, deletedAt: now }
})
