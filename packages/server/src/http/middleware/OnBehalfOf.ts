// The request of an agent that a tool call is made for: its address and host go with the call, which runs as its session.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { Context } from "effect"
import type { HttpServerRequest } from "effect/http"

/** Undefined for a request that came over the network. */
export const OnBehalfOf = Context.Reference<
  { readonly request: HttpServerRequest.HttpServerRequest; readonly session: AuthorizedSession } | undefined
>("server/http/OnBehalfOf", { defaultValue: () => undefined })
