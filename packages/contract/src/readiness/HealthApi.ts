// Probes for the operator of the service: open, and without any detail (contract §3.4).
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { SearchUnavailable } from "../Errors.ts"
import { RequestBody, SchemaErrors } from "../http/RequestBody.ts"
import { operation } from "../documents/Operation.ts"

export class HealthApi extends HttpApiGroup.make("health")
  .add(
    HttpApiEndpoint.get("live", "/health/live", {
      success: Schema.Struct({ status: Schema.Literal("live") }).annotate({ identifier: "Live" })
    }).pipe(
      operation("Is the process alive", "Answers as long as the process serves requests.", "healthLive")
    ),
    HttpApiEndpoint.get("ready", "/health/ready", {
      success: Schema.Struct({ status: Schema.Literal("ready") }).annotate({ identifier: "Ready" }),
      error: SearchUnavailable
    }).pipe(
      operation(
        "Is the service ready",
        "Ready needs the primary data and its migrations alone; the readiness route shows what search can do.",
        "healthReady"
      )
    )
  )
  .middleware(SchemaErrors)
  .middleware(RequestBody)
  .annotateMerge(OpenApi.annotations({ title: "Health", description: "Probes, open to all." })) {}
