// Whether the caller takes an answer of a media type, by RFC 9110 §12.5.1 (docs/contract.md §1, "Media types").

/** The quality of the most specific range that holds the type; parameters but q are ignored; 0 is "not acceptable". */
const qualityOf = (accept: string, mediaType: string): number => {
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
  return best.quality
}

/** Without a header, everything is acceptable. */
export const accepts = (accept: string | undefined, mediaTypes: ReadonlyArray<string>): boolean =>
  accept === undefined ||
  accept.trim() === "" ||
  mediaTypes.some((mediaType) => qualityOf(accept, mediaType) > 0)
