// The limit of a body that is read as a whole.
import { ByteSize, Effect } from "effect"
import { HttpIncomingMessage } from "effect/http"

/** `request.text.pipe(withinBytes(1_024))` fails once a longer body arrives. The framework caches what was read. */
export const withinBytes = (bytes: number) =>
  Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(bytes))
