// What the largest bodies are made of.
import { cyrillic } from "./WorstData.ts"

export const KIB = 1024
export const many = <A>(count: number, make: (n: number) => A): ReadonlyArray<A> =>
  Array.from({ length: count }, (_, n) => make(n))
export const text = (points: number): string => cyrillic(points * 2).slice(0, points)
export const tags = (): ReadonlyArray<string> => many(1_000, (n) => `${"я".repeat(190)}${n}`).slice(0, 600)
/** An object of so many small members: the most members that its bytes can hold. */
export const members = (count: number): Readonly<Record<string, number>> =>
  Object.fromEntries(many(count, (n) => [`m${n}`, n]))
