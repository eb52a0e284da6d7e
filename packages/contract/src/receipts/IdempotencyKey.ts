// The header Idempotency-Key, bare or as a quoted string of RFC 8941 (contract §1.3).
import { Effect, Schema, SchemaGetter, SchemaIssue } from "effect"
import { OpenApi } from "effect/http-api"
import { IdempotencyInProgress, IdempotencyKeyReused, QuotaExceeded } from "../Errors.ts"
import { NAME_POINTS_MAX } from "../Limits.ts"

const message = `must be 1 to ${NAME_POINTS_MAX} visible ASCII characters, bare or as one quoted string`
const visible = /^[!-~]*$/u
const quoted = /^"(?:[ !#-[\]-~]|\\["\\])*"$/u

/** The key of a header value: null if it is absent or empty (also in quotes), undefined if it is malformed. */
export const keyOf = (header: string): string | null | undefined => {
  const isQuoted = header.startsWith('"')
  if (isQuoted && !quoted.test(header)) return undefined
  const key = isQuoted ? header.slice(1, -1).replace(/\\(["\\])/gu, "$1") : header
  if (key === "") return null
  return visible.test(key) && key.length <= NAME_POINTS_MAX ? key : undefined
}

const IdempotencyKey = Schema.String.annotate({
  description:
    "A key of your choice for this command. A repeat with the same key has no second effect and returns the first answer",
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

/** Headers of a write. A route that requires the key checks it in its handler. */
export const idempotencyHeaders = { "idempotency-key": Schema.optionalKey(IdempotencyKey) }

/** Errors of every write with a key. */
export const idempotencyErrors = [IdempotencyInProgress, IdempotencyKeyReused, QuotaExceeded] as const

/** Annotation of an endpoint that requires the key, for the document. */
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
