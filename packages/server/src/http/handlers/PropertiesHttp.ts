// Properties over HTTP: each handler is one call of the use case (contract §9).
import { Api } from "@rapport/contract/Api.ts"
import { CurrentSession } from "@rapport/contract/Authorization.ts"
import type { PropertyEntity, PropertyValues } from "@rapport/contract/directory/PropertiesApi.ts"
import { Properties } from "@rapport/core/directory/Properties.ts"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { byId, createHandler, listHandler, answerWrite } from "./Records.ts"
import { keyIn } from "./WriteHeaders.ts"

interface ReadRequest {
  readonly params: { readonly id: number }
}
interface WriteRequest extends ReadRequest {
  readonly headers: { readonly "idempotency-key"?: string | null }
  readonly payload: PropertyValues
}

export const propertiesLayer = HttpApiBuilder.group(
  Api,
  "properties",
  Effect.fnUntraced(function* (handlers) {
    const properties = yield* Properties
    const read =
      (entity: PropertyEntity) =>
      ({ params }: ReadRequest) =>
        Effect.gen(function* () {
          return { values: yield* properties.readValues(yield* CurrentSession, entity, params.id) }
        })
    const write =
      (entity: PropertyEntity) =>
      ({ headers, params, payload }: WriteRequest) =>
        Effect.map(
          answerWrite((session) =>
            properties.writeValues(session, entity, params.id, payload.values, keyIn(headers))
          ),
          (values) => ({ values })
        )
    return handlers.handleAll({
      listProperties: listHandler(properties.list),
      getProperty: byId(properties.get),
      createProperty: createHandler("/kw/api/v1/properties", properties.create),
      updateProperty: ({ headers, params, payload }) =>
        answerWrite((session) => properties.update(session, params.id, payload, keyIn(headers))),
      getClientProperties: read("client"),
      setClientProperties: write("client"),
      getSubjectProperties: read("subject"),
      setSubjectProperties: write("subject"),
      getUserProperties: read("operator"),
      setUserProperties: write("operator"),
      getSkillGroupProperties: read("skill_group"),
      setSkillGroupProperties: write("skill_group")
    })
  })
)
