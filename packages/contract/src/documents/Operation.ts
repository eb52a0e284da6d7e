// What every operation says about itself in the document: its id, one line, and a few sentences (contract §1, "Documents").
import type { Context } from "effect"
import { OpenApi } from "effect/http-api"

/** What an endpoint takes on by `annotateMerge`. */
interface Endpoint<E> {
  readonly identifier: string
  readonly annotateMerge: (annotations: Context.Context<never>) => E
}

/** `operationId` is the name that generated clients use, of letters and digits only; unless given, that of the endpoint. */
export const operation =
  (summary: string, description: string, operationId?: string) =>
  <E extends Endpoint<E>>(endpoint: E): E =>
    endpoint.annotateMerge(
      OpenApi.annotations({ identifier: operationId ?? endpoint.identifier, summary, description })
    )

/** Annotations of an endpoint whose body is a free object: the framework shows nothing of one, so this is what the document shows. */
export const freeBody = (description: string, example: Readonly<Record<string, unknown>>) =>
  OpenApi.annotations({
    transform: (spec) => ({
      ...spec,
      requestBody: {
        required: true,
        content: {
          "application/json": { schema: { type: "object", description, additionalProperties: true }, example }
        }
      }
    })
  })
