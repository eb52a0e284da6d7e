// The limit of a body that is read as a whole.
import { ByteSize, Effect } from "effect"
import { HttpIncomingMessage, type HttpServerRequest } from "effect/http"

type BodyFault = "too_large" | "unreadable"

/** `request.text.pipe(withinBytes(1_024))` fails once a longer body arrives. The framework caches what was read. */
export const withinBytes = (bytes: number) =>
  Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(bytes))

/** Reads a body no further than the limit. */
export const bytesOf = (
  request: HttpServerRequest.HttpServerRequest,
  limit: number
): Effect.Effect<ArrayBuffer, BodyFault> =>
  Number(request.headers["content-length"] ?? 0) > limit
    ? Effect.fail("too_large")
    : request.arrayBuffer.pipe(
        withinBytes(limit),
        Effect.mapError(({ reason }): BodyFault =>
          reason._tag === "RequestParseError" && reason.reason === "BodyTooLarge" ? "too_large" : "unreadable"
        ),
        Effect.filterOrFail(
          (buffer) => buffer.byteLength <= limit,
          (): BodyFault => "too_large"
        )
      )
