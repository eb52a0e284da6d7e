// Files that messages carry: upload and download (contract §7, "Files").
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import {
  AccessDenied,
  NotFound,
  QuotaExceeded,
  RangeNotSatisfiable,
  RateLimited,
  SearchUnavailable
} from "../Errors.ts"
import { operation } from "../documents/Operation.ts"
import { Answers, BodyBytesMax, FileBody } from "../http/RequestBody.ts"
import { FILE_BYTES_MAX, FILE_NAME_POINTS_MAX, MEDIA_TYPE_CHARACTERS_MAX } from "../Limits.ts"
import { isOfLength, isVisible, storedAs } from "../values/Checks.ts"
import { PositiveInt, Uuid, UuidV7 } from "../values/Ids.ts"
import { composedText } from "../values/NormalForm.ts"
import { withChecks, withSession } from "../http/WithSession.ts"

/** Control characters and separators of paths would change where a program stores the file. */
const isName = Schema.makeFilter<string>((name) => !/[\p{Cc}/\\]/u.test(name), {
  message: "must not contain control characters, / or \\",
  // A second pattern would become an allOf.
  toJsonSchema: () => ({})
})

const FileName = Schema.String.annotate({ description: "The name of the file", examples: ["рахунок.pdf"] })
  .check(isOfLength(1, FILE_NAME_POINTS_MAX, composedText), isVisible, isName)
  .pipe(storedAs(composedText))

/** A file of a message. */
export const Attachment = Schema.Struct({
  id: UuidV7,
  name: Schema.String,
  mediaType: Schema.String,
  bytes: PositiveInt
}).annotate({ identifier: "Attachment" })
export type Attachment = typeof Attachment.Type

/** `sha256` is the hash of the bytes in lower-case hex. */
export const StoredFile = Schema.Struct({ ...Attachment.fields, sha256: Schema.String }).annotate({
  identifier: "StoredFile"
})
export type StoredFile = typeof StoredFile.Type

/** The media type of an upload without Content-Type. */
export const DEFAULT_MEDIA_TYPE = "application/octet-stream"

const mediaType = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:[ \t]*;[ \t]*[\w!#$&^.+-]+=(?:[\w!#$&^.+-]+|"[^"]*"))*$/u
export const isMediaType = (type: string): boolean =>
  type.length <= MEDIA_TYPE_CHARACTERS_MAX && mediaType.test(type)

const binary = { type: "string", format: "binary" }

/** The framework describes no body that the handler streams. */
const withFile = OpenApi.annotations({
  transform: (spec) => ({
    ...spec,
    requestBody: {
      required: true,
      description: "The bytes. Content-Type is the media type of the file",
      content: { [DEFAULT_MEDIA_TYPE]: { schema: binary, example: "Рахунок № 17" } }
    }
  })
})

const root = "/kw/api/v1/files"
export const linkRoot = "/kw/files"

/** The Content-Type of the answer is the media type of the file. */
const bytes = Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array({ contentType: "*/*" }))

export class FilesApi extends HttpApiGroup.make("files")
  .add(
    HttpApiEndpoint.post("uploadFile", root, {
      query: { name: FileName },
      success: StoredFile.pipe(HttpApiSchema.status(201)),
      error: [AccessDenied, QuotaExceeded]
    })
      .annotate(FileBody, true)
      .annotate(BodyBytesMax, FILE_BYTES_MAX)
      .pipe(
        operation(
          "Upload a file",
          "The body is the file, of any media type. A file that no message has after 24 hours is deleted. Requires chats.manage, tickets.manage, context.write or imports.write."
        )
      )
      .annotateMerge(withFile),
    HttpApiEndpoint.get("getFile", `${root}/:id`, {
      params: { id: Uuid },
      success: bytes,
      error: [AccessDenied, NotFound, RangeNotSatisfiable]
    })
      .annotate(Answers, [])
      .pipe(
        operation(
          "Download a file",
          "Visible with a message that has it; before that only to its uploader. The ETag is its hash. Takes If-None-Match, and Range with one range. Requires chats.read, tickets.read or context.read."
        )
      )
  )
  .pipe(withSession("Files", "Files that messages of chats, tickets and sessions carry.")) {}

export class FileLinksApi extends HttpApiGroup.make("file_links")
  .add(
    HttpApiEndpoint.get("getLinkedFile", `${linkRoot}/:link`, {
      params: {
        link: Schema.String.annotate({ examples: ["1.01999e2c-5a3b-7c11-8d2e-3f4a5b6c7d8e.1798761600.x"] })
      },
      success: bytes,
      error: [NotFound, RangeNotSatisfiable, RateLimited, SearchUnavailable]
    })
      .annotate(Answers, [])
      .pipe(
        operation(
          "Download a file by its link",
          "Without a token: webhooks name links of files. A link is signed and works for 7 days from its message. Takes If-None-Match and Range as the download with a token."
        )
      )
  )
  .pipe(withChecks("File links", "For receivers of webhooks.")) {}
