// The agent's request that a tool call runs for: the call has its address, host and session.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { Context } from "effect"
import type { HttpServerRequest } from "effect/http"

/** Undefined for a request from the network. */
export const OnBehalfOf = Context.Reference<
  { readonly request: HttpServerRequest.HttpServerRequest; readonly session: AuthorizedSession } | undefined
>("server/http/OnBehalfOf", { defaultValue: () => undefined })
