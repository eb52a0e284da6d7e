// The documentation pages over HTTP. Files are read at the first request, cached, and never loaded from another host.
import { Api } from "@rapport/contract/Api.ts"
import { NotFound } from "@rapport/contract/Errors.ts"
import { openApiDocument } from "@rapport/contract/documents/OpenApiDocument.ts"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"

/** No inline code, no foreign host, no frame (contract §1, "Documents"). */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join("; ")

const guarded = {
  "content-security-policy": policy,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer"
}

const read = (specifier: string) =>
  Effect.promise(async () => new Uint8Array(await readFile(fileURLToPath(import.meta.resolve(specifier)))))

const SCRIPT = "text/javascript; charset=utf-8"
const STYLE = "text/css; charset=utf-8"

/** Reads a file at the first request. The read is uninterruptible, because its result is cached. */
const serve = (specifier: string, contentType: string) =>
  Effect.cached(
    Effect.map(Effect.uninterruptible(read(specifier)), (bytes) =>
      HttpServerResponse.uint8Array(bytes, { contentType, headers: guarded })
    )
  )

export const documentsLayer = HttpApiBuilder.group(
  Api,
  "documents",
  Effect.fnUntraced(function* (handlers) {
    // Built at the first request: building it takes a tenth of the start.
    const document = yield* Effect.cached(
      Effect.sync(() => new TextEncoder().encode(JSON.stringify(openApiDocument())))
    )
    const page = yield* serve("./page.html", "text/html; charset=utf-8")
    const files = new Map([
      ["page.js", yield* serve("./page.js", SCRIPT)],
      ["plugin.js", yield* serve("./plugin.js", SCRIPT)],
      ["page.css", yield* serve("./page.css", STYLE)],
      ["swagger-ui-bundle.js", yield* serve("swagger-ui-dist/swagger-ui-bundle.js", SCRIPT)],
      ["swagger-ui.css", yield* serve("swagger-ui-dist/swagger-ui.css", STYLE)]
    ])
    return handlers.handleAll({
      getOpenApiDocument: () =>
        Effect.map(document, (bytes) =>
          HttpServerResponse.uint8Array(bytes, { contentType: "application/json" })
        ),
      getDocumentationPage: () => page,
      getPageFile: ({ params }) =>
        files.get(params.name) ?? Effect.fail(new NotFound({ detail: "there is nothing at this path" }))
    })
  })
)
