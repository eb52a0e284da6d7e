// The OpenAPI document and the interactive documentation (contract §1, "Documents").
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Answers, RequestBody, SchemaErrors } from "../http/RequestBody.ts"
import { operation } from "./Operation.ts"

const page = Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/html" }))
const script = Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/javascript" }))
const style = Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/css" }))

const asset = (name: string) =>
  OpenApi.annotations({
    exclude: true,
    identifier: `documents${name}`,
    summary: `A part of the page: ${name}`
  })

export class DocumentsApi extends HttpApiGroup.make("documents")
  .add(
    HttpApiEndpoint.get("getOpenApiDocument", "/swagger.json", { success: Schema.Unknown }).pipe(
      operation("Get the OpenAPI document", "OpenAPI 3.1 in JSON.")
    ),
    HttpApiEndpoint.get("getDocumentationPage", "/api-docs", { success: page })
      .pipe(
        operation(
          "Open the interactive documentation",
          "Swagger UI with a login form that adds the token to every call."
        )
      )
      .annotate(Answers, ["text/html"]),
    HttpApiEndpoint.get("pageScript", "/api-docs/page.js", { success: script })
      .annotateMerge(asset("PageScript"))
      .annotate(Answers, ["text/javascript"]),
    HttpApiEndpoint.get("pluginScript", "/api-docs/plugin.js", { success: script })
      .annotateMerge(asset("PluginScript"))
      .annotate(Answers, ["text/javascript"]),
    HttpApiEndpoint.get("pageStyle", "/api-docs/page.css", { success: style })
      .annotateMerge(asset("PageStyle"))
      .annotate(Answers, ["text/css"]),
    HttpApiEndpoint.get("bundleScript", "/api-docs/swagger-ui-bundle.js", { success: script })
      .annotateMerge(asset("BundleScript"))
      .annotate(Answers, ["text/javascript"]),
    HttpApiEndpoint.get("bundleStyle", "/api-docs/swagger-ui.css", { success: style })
      .annotateMerge(asset("BundleStyle"))
      .annotate(Answers, ["text/css"])
  )
  .middleware(SchemaErrors)
  .middleware(RequestBody)
  .annotateMerge(
    OpenApi.annotations({
      title: "Documents",
      description: "The OpenAPI document and the interactive documentation."
    })
  ) {}
