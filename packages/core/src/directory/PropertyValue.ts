// Validates a value by the definition of its property (contract §9, "Properties"); pure.
import type { PropertyDefinition } from "@rapport/contract/directory/PropertiesApi.ts"
import type { Violation } from "@rapport/contract/Errors.ts"
import { LONG_TEXT_POINTS_MAX } from "@rapport/contract/Limits.ts"
import { boundOf } from "@rapport/contract/records/Model.ts"
import { pointsOf } from "@rapport/contract/values/Checks.ts"
import { composedText } from "@rapport/contract/values/NormalForm.ts"

type Fitting = Pick<PropertyDefinition, "name" | "type" | "options">

/** The fault of the value, or undefined. Null removes the value, so it is always valid. */
const faultOf = ({ options, type }: Fitting, value: unknown): string | undefined => {
  if (value === null) return undefined
  switch (type) {
    case "string":
      return typeof value === "string" && value !== "" && pointsOf(value) <= LONG_TEXT_POINTS_MAX
        ? undefined
        : `must be a text of 1 to ${LONG_TEXT_POINTS_MAX} characters`
    case "number":
      return typeof value === "number" ? undefined : "must be a number"
    case "boolean":
      return typeof value === "boolean" ? undefined : "must be true or false"
    case "date":
      return boundOf("DATE", value) === undefined ? "must be a date, YYYY-MM-DD" : undefined
    case "enum":
      return typeof value === "string" && options.includes(composedText(value))
        ? undefined
        : `must be one of ${options.join(", ")}`
  }
}

/** Hidden properties are reported like undefined ones. */
export const valueViolations = (
  definitions: ReadonlyArray<Fitting>,
  values: Readonly<Record<string, unknown>>
): ReadonlyArray<Violation> =>
  Object.entries(values).flatMap(([name, value]) => {
    const definition = definitions.find((d) => d.name === name)
    const message = definition === undefined ? "is not defined" : faultOf(definition, value)
    return message === undefined ? [] : [{ path: `values.${name}`, message }]
  })
