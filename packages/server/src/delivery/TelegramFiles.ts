// Downloads files from the Bot API: getFile, then the path that it returns (contract §8, "Inbound").
// The URLs contain the token, so no fault, span or log may contain a URL.
import { type TelegramFileFault, TelegramFiles } from "@rapport/core/delivery/TelegramFiles.ts"
import { Effect, Layer, Option, Schema, Stream } from "effect"
import { pathOf } from "./TelegramConnector.ts"

const decodePath = Schema.decodeUnknownOption(
  Schema.fromJsonString(
    Schema.Struct({ ok: Schema.Literal(true), result: Schema.Struct({ file_path: Schema.NonEmptyString }) })
  )
)

/** `apiUrl` has no trailing slash. The operator of the service sets it, so it may be private. */
export const layer = ({ apiUrl }: { readonly apiUrl: string }): Layer.Layer<TelegramFiles> =>
  Layer.succeed(TelegramFiles, {
    open: Effect.fnUntraced(function* (token, fileId) {
      const found = yield* get(`${apiUrl}/bot${pathOf(token)}/getFile?file_id=${encodeURIComponent(fileId)}`)
      const answer = yield* attempt(() => found.text())
      if (!found.ok) return yield* Effect.fail(faultOf(found.status, answer))
      const path = Option.getOrUndefined(decodePath(answer))?.result.file_path
      if (path === undefined) return yield* Effect.fail("missing" as const)
      const encoded = path.split("/").map(encodeURIComponent).join("/")
      const response = yield* get(`${apiUrl}/file/bot${pathOf(token)}/${encoded}`)
      const { body } = response
      if (!response.ok || body === null) {
        yield* attempt(async () => body?.cancel())
        return yield* Effect.fail(faultOf(response.status, ""))
      }
      return Stream.fromReadableStream({ evaluate: () => body, onError: () => "unavailable" as const })
    })
  })

const attempt = <A>(run: (signal: AbortSignal) => Promise<A>) =>
  Effect.tryPromise({ try: run, catch: (): TelegramFileFault => "unavailable" })

const get = (url: string) => attempt((signal) => fetch(url, { signal, redirect: "error" }))

const faultOf = (status: number, answer: string): TelegramFileFault => {
  if (status === 429 || status >= 500) return "unavailable"
  return /file is too big/u.test(answer) ? "too_large" : "missing"
}
