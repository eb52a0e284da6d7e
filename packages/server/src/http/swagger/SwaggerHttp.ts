// The documentation pages over HTTP. Files are read at the first request, cached, and never loaded from another host.
import { Api } from "@rapport/contract/Api.ts"
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

/** Reads a file at the first request. The read is uninterruptible, because its result is cached. */
const serve = (specifier: string, contentType: string) =>
  Effect.map(
    Effect.cached(Effect.uninterruptible(read(specifier))),
    (file) => () =>
      Effect.map(file, (bytes) => HttpServerResponse.uint8Array(bytes, { contentType, headers: guarded }))
  )

export const documentsLayer = HttpApiBuilder.group(
  Api,
  "documents",
  Effect.fnUntraced(function* (handlers) {
    // Built at the first request: building it takes a tenth of the start.
    const document = yield* Effect.cached(
      Effect.sync(() => new TextEncoder().encode(JSON.stringify(openApiDocument())))
    )
    return handlers.handleAll({
      getOpenApiDocument: () =>
        Effect.map(document, (bytes) =>
          HttpServerResponse.uint8Array(bytes, { contentType: "application/json" })
        ),
      getDocumentationPage: yield* serve("./page.html", "text/html; charset=utf-8"),
      pageScript: yield* serve("./page.js", "text/javascript; charset=utf-8"),
      pluginScript: yield* serve("./plugin.js", "text/javascript; charset=utf-8"),
      pageStyle: yield* serve("./page.css", "text/css; charset=utf-8"),
      bundleScript: yield* serve("swagger-ui-dist/swagger-ui-bundle.js", "text/javascript; charset=utf-8"),
      bundleStyle: yield* serve("swagger-ui-dist/swagger-ui.css", "text/css; charset=utf-8")
    })
  })
)
