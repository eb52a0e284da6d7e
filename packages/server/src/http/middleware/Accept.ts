// Whether the caller takes an answer of a media type, by RFC 9110 §12.5.1 (docs/contract.md §1, "Media types").

/** Of the most specific range that holds the type: 0 names the type itself; parameters but q are ignored; quality 0 is "not acceptable". */
const matchOf = (
  accept: string,
  mediaType: string
): { readonly specificity: number; readonly quality: number } => {
  const ranges = [mediaType, `${mediaType.split("/", 1)[0]}/*`, "*/*"]
  const best = { specificity: ranges.length, quality: 0 }
  for (const part of accept.toLowerCase().split(",")) {
    const [range = "", ...parameters] = part.split(";").map((text) => text.trim())
    const specificity = ranges.indexOf(range)
    if (specificity < 0 || specificity >= best.specificity) continue
    const q = parameters.find((parameter) => parameter.startsWith("q="))
    best.specificity = specificity
    best.quality = q === undefined ? 1 : Number(q.slice(2)) || 0
  }
  return best
}

/** Of each of the types an answer has: every one but the first has to be asked for by more than the range of everything. */
const matches = (accept: string, mediaTypes: ReadonlyArray<string>) =>
  mediaTypes.map((mediaType, at) => {
    const match = matchOf(accept, mediaType)
    return { mediaType, ...match, quality: at > 0 && match.specificity === ANYTHING ? 0 : match.quality }
  })
const ANYTHING = 2

/** Without a header, everything is acceptable. */
export const accepts = (accept: string | undefined, mediaTypes: ReadonlyArray<string>): boolean =>
  accept === undefined ||
  accept.trim() === "" ||
  matches(accept, mediaTypes).some(({ quality }) => quality > 0)

/** The type of the highest quality; of equal ones that which is named more exactly, then the first. */
export const preferred = (
  accept: string | undefined,
  mediaTypes: ReadonlyArray<string>
): string | undefined =>
  accept === undefined
    ? mediaTypes[0]
    : matches(accept, mediaTypes).toSorted(
        (a, b) => b.quality - a.quality || a.specificity - b.specificity
      )[0]?.mediaType
