// Routes that need a session, and what is judged before each of them (contract §1, "Order of judgement").
import { type HttpApiEndpoint, type HttpApiGroup, OpenApi } from "effect/http-api"
import { Authorization } from "../Authorization.ts"
import { RateLimits } from "./RateLimits.ts"
import { RequestBody, SchemaErrors } from "./RequestBody.ts"

/** The group with all that is judged, the last one first; title and description are what the document says of it. */
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
