// Probes without authentication and details (contract §3.4).
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { SearchUnavailable } from "../Errors.ts"
import { operation } from "../documents/Operation.ts"
import { withChecks } from "../http/WithSession.ts"

export class HealthApi extends HttpApiGroup.make("health")
  .add(
    HttpApiEndpoint.get("getLiveness", "/health/live", {
      success: Schema.Struct({ status: Schema.Literal("live") }).annotate({ identifier: "Live" })
    }).pipe(operation("Check that the process is alive", "Succeeds while the process serves requests.")),
    HttpApiEndpoint.get("getReadiness", "/health/ready", {
      success: Schema.Struct({ status: Schema.Literal("ready") }).annotate({ identifier: "Ready" }),
      error: SearchUnavailable
    }).pipe(
      operation(
        "Check that the service is ready",
        "Succeeds if the database answers and is migrated. The readiness route shows the status of the search."
      )
    )
  )
  .pipe(withChecks("Health", "Probes without authentication.")) {}
