// Files over HTTP: uploads and downloads are streamed (contract §7, "Files").
import { Api } from "@rapport/contract/Api.ts"
import { CurrentSession } from "@rapport/contract/Authorization.ts"
import { NotFound, RangeNotSatisfiable } from "@rapport/contract/Errors.ts"
import { DEFAULT_MEDIA_TYPE, type StoredFile } from "@rapport/contract/files/FilesApi.ts"
import type { FilePlace } from "@rapport/core/files/FileStorage.ts"
import { Files } from "@rapport/core/files/Files.ts"
import { Admission } from "@rapport/core/traffic/Admission.ts"
import { Effect, Stream } from "effect"
import { HttpEffect, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { withRetryAfter } from "../middleware/RetryAfter.ts"
import { unreadable } from "../middleware/SchemaErrors.ts"
import { dispositionOf, isUnchanged, rangeOf } from "./FileAnswer.ts"
import { setWriteHeaders } from "./WriteHeaders.ts"

const root = "/kw/api/v1/files"

export const filesLayer = HttpApiBuilder.group(
  Api,
  "files",
  Effect.fnUntraced(function* (handlers) {
    const files = yield* Files
    return handlers.handleAll({
      uploadFile: ({ query, request }) =>
        Effect.gen(function* () {
          const answer = yield* files.upload(
            yield* CurrentSession,
            { name: query.name, mediaType: request.headers["content-type"] ?? DEFAULT_MEDIA_TYPE },
            Stream.mapError(request.stream, () => unreadable("the body could not be read"))
          )
          return yield* setWriteHeaders(
            { answer, replayed: false },
            { status: 201, location: `${root}/${answer.id}` }
          )
        }),

      getFile: ({ params, request }) =>
        Effect.gen(function* () {
          const session = yield* CurrentSession
          const file = yield* files.find(session, params.id)
          return yield* download(files, request, { instanceId: session.instanceId, id: file.id }, file)
        })
    })
  })
)

/** Only wrong links count against the limit of an address. */
export const fileLinksLayer = HttpApiBuilder.group(
  Api,
  "file_links",
  Effect.fnUntraced(function* (handlers) {
    const files = yield* Files
    const { countAnonymous, within } = yield* Admission
    return handlers.handleAll({
      getLinkedFile: ({ params, request }) =>
        Effect.gen(function* () {
          yield* countAnonymous(0)
          const found = yield* files.open(params.link)
          if (found === undefined) {
            yield* countAnonymous(1)
            return yield* new NotFound({})
          }
          const { file, place } = found
          const limit = ["REST_AT_ONCE_INSTANCE", String(place.instanceId)] as const
          return yield* within([limit])(download(files, request, place, file))
        }).pipe(withRetryAfter)
    })
  })
)

const download = Effect.fnUntraced(function* (
  files: Files["Service"],
  request: HttpServerRequest.HttpServerRequest,
  place: FilePlace,
  file: StoredFile
) {
  const etag = `"${file.sha256}"`
  const headers = {
    etag,
    "accept-ranges": "bytes",
    "cache-control": "private, no-cache",
    "content-disposition": dispositionOf(file.name),
    "content-security-policy": "default-src 'none'; sandbox"
  }
  if (isUnchanged(request.headers["if-none-match"], etag))
    return HttpServerResponse.empty({ status: 304, headers })
  const condition = request.headers["if-range"]
  const requested =
    condition === undefined || condition === etag ? rangeOf(request.headers["range"], file.bytes) : undefined
  if (requested === null) {
    yield* setContentRange(`bytes */${file.bytes}`)
    return yield* new RangeNotSatisfiable({})
  }
  const range = requested ?? { first: 0, last: file.bytes - 1 }
  const options = {
    status: requested === undefined ? 200 : 206,
    contentType: file.mediaType,
    contentLength: range.last - range.first + 1,
    headers: {
      ...headers,
      ...(requested && { "content-range": `bytes ${range.first}-${range.last}/${file.bytes}` })
    }
  }
  return request.method === "HEAD"
    ? HttpServerResponse.stream(Stream.empty, options)
    : HttpServerResponse.stream(yield* files.read(place, range), options)
})

const setContentRange = (range: string) =>
  HttpEffect.appendPreResponseHandler((_, response) =>
    Effect.succeed(HttpServerResponse.setHeader(response, "content-range", range))
  )
