// The OpenAPI document and the interactive documentation (contract §1, "Documents").
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { NotFound } from "../Errors.ts"
import { Answers } from "../http/RequestBody.ts"
import { withChecks } from "../http/WithSession.ts"
import { operation } from "./Operation.ts"

export class DocumentsApi extends HttpApiGroup.make("documents")
  .add(
    HttpApiEndpoint.get("getOpenApiDocument", "/swagger.json", { success: Schema.Unknown }).pipe(
      operation("Get the OpenAPI document", "OpenAPI 3.1 in JSON.")
    ),
    HttpApiEndpoint.get("getDocumentationPage", "/api-docs", {
      success: Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/html" }))
    })
      .pipe(
        operation(
          "Open the interactive documentation",
          "Swagger UI with a login form that adds the token to every call."
        )
      )
      .annotate(Answers, ["text/html"]),
    // A script or style of the page.
    HttpApiEndpoint.get("getPageFile", "/api-docs/:name", {
      params: { name: Schema.String },
      success: Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array()),
      error: NotFound
    })
      .annotateMerge(OpenApi.annotations({ exclude: true }))
      .annotate(Answers, [])
  )
  .pipe(withChecks("Documents", "The OpenAPI document and the interactive documentation.")) {}
