// The checks before each route, and those of routes that need a session (contract §1, "Order of checks").
import { type HttpApiEndpoint, type HttpApiGroup, OpenApi } from "effect/http-api"
import { Authorization } from "../Authorization.ts"
import { RateLimits } from "./RateLimits.ts"
import { RequestBody, SchemaErrors } from "./RequestBody.ts"

/** Adds the checks of every route to a group, the last one first, and its title and description in the document. */
export const withChecks =
  (title: string, description: string) =>
  <Id extends string, Endpoints extends HttpApiEndpoint.Constraint>(
    group: HttpApiGroup.HttpApiGroup<Id, Endpoints>
  ) =>
    group
      .middleware(SchemaErrors)
      .middleware(RequestBody)
      .annotateMerge(OpenApi.annotations({ title, description }))

/** The same for routes that need a session, which is checked before. */
export const withSession =
  (title: string, description: string) =>
  <Id extends string, Endpoints extends HttpApiEndpoint.Constraint>(
    group: HttpApiGroup.HttpApiGroup<Id, Endpoints>
  ) =>
    group.pipe(withChecks(title, description)).middleware(RateLimits).middleware(Authorization)
