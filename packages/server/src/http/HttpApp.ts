// The HTTP application as one Layer: the routes of the Api with their middleware.
import { Api } from "@rapport/contract/Api.ts"
import { Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { HttpRouter } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { anonymousLimitsLayer, rateLimitsLayer } from "./middleware/RateLimitsHttp.ts"
import { accessLayer, loginLayer } from "./handlers/AccessHttp.ts"
import { authorizationLayer } from "./middleware/AuthorizationHttp.ts"
import { envelopeLayer } from "./middleware/ResponseEnvelope.ts"
import { inboundSignatureLayer } from "./middleware/InboundSignature.ts"
import { decodeSentParameters } from "./middleware/QueryString.ts"
import { requestBodyLayer } from "./middleware/RequestBodyHttp.ts"
import { documentsLayer } from "./swagger/SwaggerHttp.ts"
import { schemaErrorsLayer } from "./middleware/SchemaErrors.ts"

/** The middleware that checks requests, in the order of contract §1. */
const middlewareLayer = Layer.mergeAll(
  authorizationLayer,
  anonymousLimitsLayer,
  inboundSignatureLayer,
  rateLimitsLayer,
  requestBodyLayer,
  schemaErrorsLayer
)

/** Groups that need only the use cases of the access module. */
const accessGroupsLayer = Layer.mergeAll(loginLayer, accessLayer, documentsLayer)

/** The routes of the Api; `groups` are the remaining groups. Run it with `routerConfig` and without the framework's logger. */
export const httpAppOf = <Out, E, R>(groups: Layer.Layer<Out, E, R>) => {
  decodeSentParameters()
  return HttpApiBuilder.layer(Api).pipe(
    Layer.provide(groups),
    Layer.provide(accessGroupsLayer),
    Layer.provide(middlewareLayer),
    Layer.provide(envelopeLayer),
    Layer.provide(SecureRandom.layerWebCrypto),
    Layer.provide(HttpRouter.disableLogger)
  )
}
