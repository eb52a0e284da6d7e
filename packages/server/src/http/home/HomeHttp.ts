// GET /: a page with links for people. Programs get the 404 of an unknown path (contract §1, "Documents").
import { NotFound } from "@rapport/contract/Errors.ts"
import { Effect } from "effect"
import { HttpRouter, HttpServerRespondable, HttpServerRequest, HttpServerResponse } from "effect/http"
import { readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"

const headers = {
  "content-security-policy":
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer"
}

const phoneLink = `<li><a href="/demo/phone">A client's phone</a> where messages of the demo arrive</li>`

const read = (file: string) =>
  Effect.promise(() => readFile(fileURLToPath(import.meta.resolve(file)), "utf8"))

/** The page, and the icon of every page. The page links to the demo's phone if one is configured. */
export const homeLayer = (hasPhone: Effect.Effect<boolean>) =>
  HttpRouter.use((router) =>
    Effect.gen(function* () {
      const html = (yield* read("./home.html")).replace("<!-- phone -->", (yield* hasPhone) ? phoneLink : "")
      const page = HttpServerResponse.text(html, {
        contentType: "text/html; charset=utf-8",
        headers: { ...headers, vary: "accept" }
      })
      yield* router.add("GET", "/", (request: HttpServerRequest.HttpServerRequest) =>
        /\btext\/html\b/iu.test(request.headers["accept"] ?? "")
          ? Effect.succeed(page)
          : HttpServerRespondable.toResponse(new NotFound({ detail: "there is nothing at this path" }))
      )
      for (const [path, file, contentType] of assets) {
        const text = yield* read(file)
        yield* router.add(
          "GET",
          path,
          Effect.succeed(HttpServerResponse.text(text, { contentType, headers }))
        )
      }
    })
  )

const assets = [
  ["/home.css", "./home.css", "text/css; charset=utf-8"],
  ["/favicon.svg", "./favicon.svg", "image/svg+xml"]
] as const
