// The literals that the generator shares with its data files.

export const languages = ["uk", "ru", "en"] as const
export type Language = (typeof languages)[number]

/** Narrows a text of a data file; throws where it is none of the members. */
export const oneOf = <A extends string>(members: ReadonlyArray<A>, text: string): A => {
  const found = members.find((member) => member === text)
  if (found === undefined) throw new RangeError(`${text} must be one of ${members.join(", ")}`)
  return found
}
