// Id, summary and description of an operation in the document (contract §1, "Documents").
import type { Context } from "effect"
import { OpenApi } from "effect/http-api"

/** An endpoint that takes annotations. */
interface Endpoint<E> {
  readonly identifier: string
  readonly annotateMerge: (annotations: Context.Context<never>) => E
}

/** The name of the endpoint is also its name in generated clients. */
export const operation =
  (summary: string, description: string) =>
  <E extends Endpoint<E>>(endpoint: E): E =>
    endpoint.annotateMerge(OpenApi.annotations({ identifier: endpoint.identifier, summary, description }))

/** Describes a body that is a free object, which the framework leaves out of the document. */
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
