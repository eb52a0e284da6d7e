// What every operation says about itself in the document: its id, one line, and a few sentences (docs/contract.md §1, "Documents").
import type { Context } from "effect"
import { OpenApi } from "effect/http-api"

/** Annotations of an endpoint. `operationId` holds letters and digits only; it is the name generated clients use. */
export const operation = (
  operationId: string,
  summary: string,
  description: string
): Context.Context<never> => OpenApi.annotations({ identifier: operationId, summary, description })

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
