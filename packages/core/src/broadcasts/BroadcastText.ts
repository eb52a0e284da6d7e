// Fills the template of a broadcast with values of the client and of the broadcast (contract §9.1).
import type { Violation } from "@rapport/contract/Errors.ts"
import { NAME_POINTS_MAX } from "@rapport/contract/Limits.ts"
import {
  type FilledTemplate,
  fillTemplate,
  type Template,
  templateViolations
} from "../scenarios/MessageTemplate.ts"

/** The members of a client that a template may name. */
export const clientVariables = ["name", "email", "phone", "language", "externalId"] as const
export type ClientVariable = (typeof clientVariables)[number]
export type ClientValues = Readonly<Record<ClientVariable, string | null>>
type Variables = Readonly<Record<string, unknown>>

const isClientVariable = (name: string): name is ClientVariable =>
  clientVariables.some((variable) => variable === name)

export const namesClient = (template: Template): boolean =>
  template.some((part) => typeof part !== "string" && isClientVariable(part.name))

export const textFor = (template: Template, client: ClientValues, variables: Variables): FilledTemplate =>
  fillTemplate(template, (name) => (isClientVariable(name) ? client[name] : null) ?? ownOf(variables, name))

const ownOf = (variables: Variables, name: string): unknown =>
  Object.hasOwn(variables, name) ? variables[name] : undefined

/** Members that a broadcast needs of every client, and faults that do not depend on a client. */
export interface TemplateNeeds {
  /** Members of the client in the template without a default or variable. */
  readonly needed: ReadonlyArray<ClientVariable>
  readonly violations: ReadonlyArray<Violation>
}

export const needsOf = (template: Template, variables: Variables): TemplateNeeds => {
  const places = template.flatMap((part) => (typeof part === "string" ? [] : [part]))
  const needed = clientVariables.filter((name) =>
    places.some(
      (place) => place.name === name && place.fallback === undefined && ownOf(variables, name) === undefined
    )
  )
  // With the longest possible values of a client.
  const filled = fillTemplate(template, (name) =>
    isClientVariable(name) ? "x".repeat(NAME_POINTS_MAX) : ownOf(variables, name)
  )
  return { needed, violations: templateViolations(filled, "templateId", "variables") }
}
