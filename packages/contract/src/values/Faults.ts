// Turns errors of schemas into violations with our messages (contract §1.1).
import { SchemaIssue } from "effect"
import type { Violation } from "../Errors.ts"
import { overBudget } from "./Numbers.ts"

/** An entry of `errors[]`. `isOverBudget`: its code is QUERY_BUDGET_EXCEEDED instead of INVALID_REQUEST. */
export interface Fault extends Violation {
  readonly isOverBudget: boolean
}

/** Reports all faults, including unknown members. Only for values of bounded size. */
export const strict = { errors: "all", onExcessProperty: "error" } as const

/** Stops at the first fault. `collectFaults` then finds all of them. */
export const strictFirst = { errors: "first", onExcessProperty: "error" } as const

/** The faults of a schema error. */
export const faultsOf = (issue: SchemaIssue.Issue): ReadonlyArray<Fault> =>
  format(issue).issues.map(({ message, path }) => {
    const isOverBudget = message.startsWith(budgetMark)
    return {
      path: pathOf(path ?? []),
      message: ourMessage(isOverBudget ? message.slice(budgetMark.length) : message),
      isOverBudget
    }
  })

/** Violations that `detail` names. `errors` has all of them. */
const NAMED_MAX = 3

/** A message without a path is about the body, unless it begins with its own subject. */
const sentenceOf = ({ message, path }: Violation): string => {
  if (path !== "") return `${path} ${message}`
  return message.startsWith("the ") ? message : `the body ${message}`
}

/** The first violations in one sentence. */
export const detailOf = (violations: ReadonlyArray<Violation>, namedMax = NAMED_MAX): string => {
  const messages = violations.slice(0, namedMax).map(sentenceOf)
  return violations.length > namedMax
    ? `${messages.join("; ")}; and ${violations.length - namedMax} more`
    : messages.join("; ")
}

/** Marks messages of maximums, because the formatter passes only text. */
const budgetMark = "\u0000"

const kinds: Record<string, string> = {
  String: "a string",
  Number: "a number",
  Boolean: "true or false",
  Arrays: "an array",
  Objects: "an object",
  Union: "one of the documented types"
}

const leafMessage: SchemaIssue.LeafHook = (issue) => {
  if (issue._tag === "MissingKey") return "is required"
  if (issue._tag === "UnexpectedKey") return "is unknown"
  const message = SchemaIssue.defaultLeafHook(issue)
  const kind = issue._tag === "InvalidType" ? kinds[issue.ast._tag] : undefined
  return kind !== undefined && message.startsWith("Expected ") ? `must be ${kind}` : message
}

/** Our message for a closed list, or for a value without its own message. */
const ourMessage = (message: string): string => {
  if (!message.startsWith("Expected ")) return message
  const expected = message.slice("Expected ".length)
  const literals = expected.split(" | ")
  return literals.every((literal) => /^".*"$/u.test(literal))
    ? `must be ${literals.length > 1 ? "one of " : ""}${literals.map((literal) => literal.slice(1, -1)).join(", ")}`
    : `must be ${/^[A-Z]/u.test(expected) ? "a known " : ""}${expected}`
}

const format = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: leafMessage,
  checkHook: (issue) => {
    const message = SchemaIssue.defaultCheckHook(issue)
    const isOverBudget = Object.keys(overBudget).some((key) => issue.filter.annotations?.[key] === true)
    return isOverBudget ? `${budgetMark}${message ?? "is above its maximum"}` : message
  }
})

/** `scope.id`, `sections[1]`; a member of the root has no prefix. */
const pathOf = (path: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }>): string =>
  path.reduce<string>((text, part, i) => {
    const key = typeof part === "object" ? part.key : part
    return typeof key === "number" ? `${text}[${key}]` : `${text}${i === 0 ? "" : "."}${String(key)}`
  }, "")
