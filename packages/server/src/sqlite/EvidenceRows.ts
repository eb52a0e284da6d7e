// Numbers and words by which a text is found: its row names its appeal and its position, and every word in the full text
// index carries the scope that it is looked for in, so that a search reads nothing of other scopes.
import type { IndexedDocument } from "@rapport/core/search/DocumentProjection.ts"
import { familiesIn, type Passage } from "@rapport/core/search/text/Passages.ts"
import { familyOf } from "@rapport/core/search/text/Terms.ts"

/** More than an appeal that is searched has texts. */
export const POSITIONS = 8_192

/** Rows of one appeal lie beside each other, those of newer appeals after them. */
export const rowAt = (ref: number, position: number): number => ref * POSITIONS + position
export const refOf = (row: number): number => Math.floor(row / POSITIONS)
export const positionOf = (row: number): number => row % POSITIONS

/** What an appeal belongs to. An appeal without subject has subject 0. */
export const scopeToken = {
  client: (instance: number, id: number) => `${instance}c${id}`,
  subject: (instance: number, id: number | null) => `${instance}s${id ?? 0}`,
  participant: (instance: number, id: number) => `${instance}u${id}`
}

/** The scopes that a query may ask for: the client first. */
export const scopesOf = (instance: number, document: IndexedDocument): ReadonlyArray<string> => [
  scopeToken.client(instance, document.clientId),
  scopeToken.subject(instance, document.subjectId),
  ...new Set(document.operatorIds.map((id) => scopeToken.participant(instance, id)))
]

const wordIn = (scope: string, stem: string): string => `${scope}w${stem}`
const familyIn = (scope: string, family: string): string => `${scope}f${family}`

/** A text as the full text index takes it. A client has few texts: its scope is a word of its own. */
export const indexedWords = (
  [client = "", ...scopes]: ReadonlyArray<string>,
  text: Passage["text"]
): string => {
  const stems = stemsIn(text)
  const families = familiesIn(text)
  const found = [client]
  for (const scope of scopes) {
    for (const stem of stems) found.push(wordIn(scope, stem))
    for (const family of families) found.push(familyIn(scope, family))
  }
  return found.join(" ")
}

export const stemsIn = (text: Passage["text"]): ReadonlySet<string> => new Set(text.map(({ stem }) => stem))

/** An expression for the texts that hold one of the stems in one of the scopes, or with `kin` a word of its family. */
export const anyOf = (scopes: ReadonlyArray<string>, stems: Iterable<string>, kin: boolean): string => {
  const found = new Set<string>()
  for (const stem of stems) {
    const family = kin ? familyOf(stem) : undefined
    for (const scope of scopes) {
      found.add(`"${wordIn(scope, stem)}"`)
      if (family !== undefined) found.add(`"${familyIn(scope, family)}"`)
    }
  }
  return `(${[...found].join(" OR ")})`
}

/**
 * An expression for the texts that hold words of the families of both stems in one of the scopes. A text has both in each of its
 * scopes, so each scope is asked by itself: of all scopes together each step would compare as many lists as there are scopes.
 */
export const bothOf = (scopes: ReadonlyArray<string>, first: string, second: string): string =>
  `(${scopes.map((scope) => `(${anyOf([scope], [first], true)} AND ${anyOf([scope], [second], true)})`).join(" OR ")})`

/** The same for the texts that hold a word of the family of a stem; none: it has no family. */
export const kinOf = (scopes: ReadonlyArray<string>, stem: string): string | undefined => {
  const family = familyOf(stem)
  return family === undefined
    ? undefined
    : `(${scopes.map((scope) => `"${familyIn(scope, family)}"`).join(" OR ")})`
}

/** The words of a stored text without the speaker's name. */
export const saidText = (text: string, names: number): string => {
  let from = 0
  for (let word = 0; word < names && from >= 0; word++) from = text.indexOf(" ", from) + 1 || text.length
  return text.slice(from)
}
