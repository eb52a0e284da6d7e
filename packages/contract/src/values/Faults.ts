// What is wrong with a value, in our own words: the one reading of what a schema refuses (contract §1.1).
import { SchemaIssue } from "effect"
import type { Violation } from "../Errors.ts"
import { overBudget } from "./Numbers.ts"

/** One entry of `errors[]`; over budget where it alone would be QUERY_BUDGET_EXCEEDED instead of INVALID_REQUEST. */
export interface Fault extends Violation {
  readonly isOverBudget: boolean
}

/** How the faults of a value are reported: all at once, unknown members being faults. Only for values of bounded size. */
export const strict = { errors: "all", onExcessProperty: "error" } as const

/** How a value from outside is decoded: it ends at the first fault, and `collectFaults` then finds what is wrong. */
export const strictFirst = { errors: "first", onExcessProperty: "error" } as const

/** What a schema refused of a value. */
export const faultsOf = (issue: SchemaIssue.Issue): ReadonlyArray<Fault> =>
  format(issue).issues.map(({ message, path }) => {
    const isOverBudget = message.startsWith(budgetMark)
    return {
      path: pathOf(path ?? []),
      message: inOurWords(isOverBudget ? message.slice(budgetMark.length) : message),
      isOverBudget
    }
  })

/** Violations that a sentence for people names; they stand beside it, one by one. */
const NAMED_MAX = 3

/** Of a path "" a message speaks of the body, unless it says what else it speaks of. */
const sentenceOf = ({ message, path }: Violation): string => {
  if (path !== "") return `${path} ${message}`
  return message.startsWith("the ") ? message : `the body ${message}`
}

/** The first of them in one sentence, NAMED_MAX unless more are wanted. */
export const detailOf = (violations: ReadonlyArray<Violation>, namedMax = NAMED_MAX): string => {
  const messages = violations.slice(0, namedMax).map(sentenceOf)
  return violations.length > namedMax
    ? `${messages.join("; ")}; and ${violations.length - namedMax} more`
    : messages.join("; ")
}

/** Marks the messages of maximums on their way through the formatter, which carries text alone. */
const budgetMark = "\u0000"

const kinds: Record<string, string> = {
  String: "a string",
  Number: "a number",
  Boolean: "true or false",
  Arrays: "an array",
  Objects: "an object",
  Union: "one of the kinds that the document names"
}

const leafMessage: SchemaIssue.LeafHook = (issue) => {
  if (issue._tag === "MissingKey") return "is required"
  if (issue._tag === "UnexpectedKey") return "is unknown"
  const message = SchemaIssue.defaultLeafHook(issue)
  const kind = issue._tag === "InvalidType" ? kinds[issue.ast._tag] : undefined
  return kind !== undefined && message.startsWith("Expected ") ? `must be ${kind}` : message
}

/** What the framework says of a closed list or of a value without wording of its own, in our words. */
const inOurWords = (message: string): string => {
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
