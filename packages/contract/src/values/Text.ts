// Text with bounds counted in Unicode code points, as a person counts characters (docs/contract.md §1).
import { Schema } from "effect"

/** Code points of a text; a surrogate pair is one. */
export const pointsOf = (text: string): number => {
  let points = text.length
  for (let i = 0; i < text.length - 1; i++) {
    const unit = text.charCodeAt(i)
    if (unit >= 0xd800 && unit <= 0xdbff) {
      points--
      i++
    }
  }
  return points
}

/** A text of `minimum` to `maximum` code points. */
export const textOf = (minimum: number, maximum: number) =>
  Schema.String.check(
    Schema.makeFilter<string>(
      (text) => {
        if (text.length < minimum || text.length > 2 * maximum) return false
        // A code point is one unit or two: mostly the length alone decides, and long texts are not walked.
        if (text.length >= 2 * minimum - 1 && text.length <= maximum) return true
        const points = pointsOf(text)
        return points >= minimum && points <= maximum
      },
      {
        message: `must have ${minimum} to ${maximum} characters`,
        toJsonSchema: () => ({ minLength: minimum, maxLength: maximum })
      }
    )
  )
