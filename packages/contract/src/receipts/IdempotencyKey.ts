// The header Idempotency-Key, bare or as a quoted string of RFC 8941: the same key either way (contract §1.3).
import { Effect, Schema, SchemaGetter, SchemaIssue } from "effect"
import { OpenApi } from "effect/http-api"
import { IdempotencyInProgress, IdempotencyKeyReused, QuotaExceeded } from "../Errors.ts"
import { NAME_POINTS_MAX } from "../Limits.ts"

const message = `must be 1 to ${NAME_POINTS_MAX} visible ASCII characters, bare or as one quoted string`
const visible = /^[!-~]*$/u
const quoted = /^"(?:[ !#-[\]-~]|\\["\\])*"$/u

/** The key in a header value: null where there is none (absent, empty, or empty in quotes), undefined where it is malformed. */
export const keyOf = (header: string): string | null | undefined => {
  const isQuoted = header.startsWith('"')
  if (isQuoted && !quoted.test(header)) return undefined
  const key = isQuoted ? header.slice(1, -1).replace(/\\(["\\])/gu, "$1") : header
  if (key === "") return null
  return visible.test(key) && key.length <= NAME_POINTS_MAX ? key : undefined
}

const IdempotencyKey = Schema.String.annotate({
  description:
    "A key of your own for this command: a repeat under it has no second effect and answers what the first did",
  examples: ["8e03978e-40d5-43e8-bc93-6894a57f9324"]
}).pipe(
  Schema.decodeTo(Schema.NullOr(Schema.String), {
    decode: SchemaGetter.transformEffect((header: string) => {
      const key = keyOf(header)
      return key === undefined ? Effect.fail(new SchemaIssue.InvalidValue({ message })) : Effect.succeed(key)
    }),
    encode: SchemaGetter.transform((key: string | null) =>
      key === null ? "" : `"${key.replace(/["\\]/gu, "\\$&")}"`
    )
  })
)

/** Headers of a write; a route that requires the key refuses one without it in its handler. */
export const idempotencyHeaders = { "idempotency-key": Schema.optionalKey(IdempotencyKey) }

/** What any write under a key may answer. */
export const idempotencyErrors = [IdempotencyInProgress, IdempotencyKeyReused, QuotaExceeded] as const

/** Annotation of an endpoint that requires the key: the document says so. */
export const keyRequired = OpenApi.annotations({
  transform: (spec) => ({
    ...spec,
    parameters: Array.isArray(spec["parameters"])
      ? spec["parameters"].map((parameter: unknown) =>
          typeof parameter === "object" &&
          parameter !== null &&
          "name" in parameter &&
          parameter.name === "idempotency-key"
            ? { ...parameter, required: true }
            : parameter
        )
      : spec["parameters"]
  })
})
