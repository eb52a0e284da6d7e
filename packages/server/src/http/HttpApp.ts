// The whole HTTP application as one Layer: the routes of the Api with everything that judges and wraps them.
import { Api } from "@rapport/contract/Api.ts"
import { Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { type FindMyWay, HttpRouter } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { accessLayer, loginLayer } from "./handlers/AccessHttp.ts"
import { anonymousLayer } from "./middleware/AnonymousLimit.ts"
import { authorizationLayer } from "./middleware/AuthorizationHttp.ts"
import { envelopeLayer } from "./middleware/ResponseEnvelope.ts"
import { requestBodyLayer } from "./middleware/RequestBodyHttp.ts"
import { toolsLayer } from "./mcp/McpHttp.ts"
import { documentsLayer } from "./swagger/SwaggerHttp.ts"
import { rateLimitsLayer } from "./middleware/RateLimitsHttp.ts"
import { schemaErrorsLayer } from "./middleware/SchemaErrors.ts"

/** What judges requests, in the order of docs/contract.md §1. */
const judgesLayer = Layer.mergeAll(
  authorizationLayer,
  anonymousLayer,
  rateLimitsLayer,
  requestBodyLayer,
  schemaErrorsLayer
)

/** Groups that need nothing but use cases of the access room. */
const groundLayer = Layer.mergeAll(loginLayer, accessLayer, documentsLayer, toolsLayer)

/**
 * The routes of the Api, `groups` being the rest of its groups; `moreRoutes` are mounted beside it by whoever adds them to the
 * router, and named here so that 405 and OPTIONS know them. Serve it with `routerConfig` of Envelope.ts and without the framework's logger.
 */
export const httpAppOf = <Out, E, R>(
  groups: Layer.Layer<Out, E, R>,
  moreRoutes: ReadonlyArray<readonly [method: string, path: FindMyWay.PathInput]> = []
) =>
  HttpApiBuilder.layer(Api).pipe(
    Layer.provide(groups),
    Layer.provide(groundLayer),
    Layer.provide(judgesLayer),
    Layer.provide(envelopeLayer(moreRoutes)),
    Layer.provide(SecureRandom.layerWebCrypto),
    Layer.provide(HttpRouter.disableLogger)
  )
