// Routes that need a session, and the checks before each of them (contract §1, "Order of checks").
import { type HttpApiEndpoint, type HttpApiGroup, OpenApi } from "effect/http-api"
import { Authorization } from "../Authorization.ts"
import { RateLimits } from "./RateLimits.ts"
import { RequestBody, SchemaErrors } from "./RequestBody.ts"

/** Adds all checks to a group, the last one first, and its title and description in the document. */
export const withSession =
  (title: string, description: string) =>
  <Id extends string, Endpoints extends HttpApiEndpoint.Constraint>(
    group: HttpApiGroup.HttpApiGroup<Id, Endpoints>
  ) =>
    group
      .middleware(SchemaErrors)
      .middleware(RequestBody)
      .middleware(RateLimits)
      .middleware(Authorization)
      .annotateMerge(OpenApi.annotations({ title, description }))
