// Validation and decoding of query strings: no repeated name, empty value, broken percent code or NUL.
import { Api } from "@rapport/contract/Api.ts"
import type { Violation } from "@rapport/contract/Errors.ts"
import { VIOLATIONS_MAX } from "@rapport/contract/Limits.ts"
import { Effect, Predicate, Schema, SchemaAST, SchemaIssue, SchemaParser } from "effect"
import { HttpApi } from "effect/http-api"
import { SchemaCompiler } from "effect/schema"

/** Undefined for a broken percent code. */
export const percentDecoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text.replaceAll("+", " "))
  } catch {
    return undefined
  }
}

/** The message of a parameter without a name. Its path is empty. */
export const namelessParameter = "the query string must not hold a parameter without a name"

/** contract §1 "Query strings, paths"; `path` of a violation is the name as sent. */
export const queryViolations = (url: string): ReadonlyArray<Violation> => {
  const start = url.indexOf("?")
  if (start < 0) return []
  const names = new Set<string>()
  const found: Array<Violation> = []
  for (const pair of url.slice(start + 1).split("&")) {
    if (pair === "") continue
    const at = pair.indexOf("=")
    const rawName = at < 0 ? pair : pair.slice(0, at)
    const [name, value] = [percentDecoded(rawName), percentDecoded(at < 0 ? "" : pair.slice(at + 1))]
    const path = name ?? rawName
    if (name === undefined || value === undefined)
      found.push({ path, message: "holds a broken percent code" })
    else if (name.includes("\0") || value.includes("\0")) found.push({ path, message: "must not hold NUL" })
    else if (name === "") found.push({ path, message: namelessParameter })
    else if (names.has(name)) found.push({ path, message: "must be given once" })
    else if (value === "") found.push({ path, message: "must not be empty" })
    names.add(path)
    if (found.length >= VIOLATIONS_MAX) return found
  }
  return found
}

/**
 * Makes the framework decode only the parameters that were sent: a list declares over a hundred. A query with a required parameter is
 * decoded as declared.
 */
export const decodeSentParameters = (): void =>
  HttpApi.reflect(Api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint: { query } }) => {
      if (query === undefined) return
      const { ast } = Schema.toCodecArrayFromSingle(query)
      if (SchemaAST.isObjects(ast) && isAllOptional(ast))
        SchemaCompiler.set(ast, { decodeEffect: sentDecoder(ast) })
    }
  })

const isAllOptional = (ast: SchemaAST.Objects): boolean =>
  ast.checks === undefined &&
  ast.encoding === undefined &&
  ast.encodingChecks === undefined &&
  ast.indexSignatures.length === 0 &&
  ast.propertySignatures.every(({ type }) => SchemaAST.isOptional(SchemaAST.toEncoded(type)))

/** SchemaErrors finds the faults of all parameters. */
const sentDecoder = (ast: SchemaAST.Objects): SchemaCompiler.DecodeEffect => {
  const decoders = new Map(
    ast.propertySignatures.map(({ name, type }) => [
      name,
      SchemaParser.decodeUnknownEffect(Schema.make<Schema.Codec<unknown>>(type))
    ])
  )
  return Effect.fnUntraced(function* (input, options) {
    const decoded: Record<string, unknown> = {}
    if (!Predicate.isObject(input))
      return yield* Effect.fail(new SchemaIssue.InvalidType(ast, input, options))
    for (const [name, value] of Object.entries(input)) {
      const decode = decoders.get(name)
      if (decode === undefined) return yield* Effect.fail(new SchemaIssue.UnexpectedKey(ast, value, options))
      decoded[name] = yield* decode(value, options)
    }
    return decoded
  })
}
