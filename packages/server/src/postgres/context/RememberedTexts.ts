// What texts mean, kept for those that come again: the text is the key, so that nothing remembered is ever out of date.

/** Two generations: what was not asked for while the younger one filled up is forgotten. */
export class RememberedTexts<Meaning extends object> {
  readonly #generationUnits: number
  #young = new Map<string, Meaning>()
  #old = new Map<string, Meaning>()
  #units = 0

  constructor(unitsMax: number) {
    this.#generationUnits = unitsMax / 2
  }

  get(text: string, read: () => Meaning): Meaning {
    const known = this.#young.get(text)
    if (known !== undefined) return known
    const meaning = this.#old.get(text) ?? read()
    if (text.length > this.#generationUnits) return meaning
    if (this.#units + text.length > this.#generationUnits) {
      this.#old = this.#young
      this.#young = new Map()
      this.#units = 0
    }
    this.#units += text.length
    this.#young.set(text, meaning)
    return meaning
  }
}
