// The fields of an indexed document.
import { DAY_MILLIS } from "@rapport/contract/values/Time.ts"
import type { DocumentChange, IndexedDocument } from "@rapport/core/search/DocumentProjection.ts"
import { countedText, adjacentIn, passagesOf, type WordForm } from "@rapport/core/search/text/Words.ts"
import { familiesIn, familyIn } from "@rapport/core/search/text/Terms.ts"
import { openingShare } from "@rapport/core/search/ranking/EvidenceRanking.ts"
import { Schema } from "effect"

/** Above this size an appeal is indexed without spellings and word families, with shorter passages. */
export const OPENSEARCH_SPELLED_BYTES_MAX = 5 * 1024 * 1024

/** Ids contain the instance, so that no two instances share one. */
const idOf = (instanceId: number, documentId: number): string => `${instanceId}-${documentId}`

export interface IndexedChange {
  readonly id: string
  readonly documentId: number
  readonly revision: number
  /** JSON. */
  readonly source: string
}

const encodeJson = Schema.encodeSync(Schema.fromJsonString(Schema.Unknown))

/** A removal writes a document without fields: it keeps the revision, which OpenSearch drops a minute after a deletion. */
export const indexedChange = (instanceId: number, change: DocumentChange): IndexedChange => {
  const { documentId, revision } = change._tag === "Upsert" ? change.document : change
  const fields = change._tag === "Upsert" ? fieldsOf(change.document) : {}
  return {
    id: idOf(instanceId, documentId),
    documentId,
    revision,
    source: encodeJson({ instance: String(instanceId), appeal: documentId, ...fields })
  }
}

const fieldsOf = (document: IndexedDocument) => ({
  client: String(document.clientId),
  ...(document.subjectId === null ? {} : { subject: String(document.subjectId) }),
  assigned: document.operatorId !== null,
  operators: document.operatorIds.map(String),
  ...(document.authorId === null ? {} : { author: String(document.authorId) }),
  closed: document.closed,
  createdAt: document.createdAt,
  ...dateParts(document.createdAt),
  ...textsOf(document)
})

/** Month, day, and day of a leap year, all from 1. */
const dateParts = (at: number) => {
  const date = new Date(at)
  const [month, day] = [date.getUTCMonth() + 1, date.getUTCDate()]
  return { month, day, yearDay: yearDayOf(month, day) }
}

export const yearDayOf = (month: number, day: number): number =>
  Math.round((Date.UTC(2000, month - 1, day) - Date.UTC(2000, 0, 1)) / DAY_MILLIS) + 1

const textsOf = (document: IndexedDocument) => {
  const { passages } = passagesOf(document)
  if (passages.length === 0) return {}
  // With the names of all speakers: otherwise names would be rarer here than in whole appeals, and greetings score too high.
  const names = new Map(
    passages.flatMap(({ speaker }) => speaker.map((word) => [word.folded, word] as const))
  )
  const first = [...names.values(), ...(passages[0]?.text ?? [])]
  const openings = {
    opening: stemsOf(first),
    openingFamilies: familiesOf(first),
    openingShare: openingShare(passages.length)
  }
  // The words of each passage after the name of its speaker.
  const stems = passages.map(({ speaker, text }) => stemsOf([...speaker, ...text]))
  const long = isLong(document)
  const adjacent = long ? LONG_ADJACENT : adjacentIn(passages.length)
  const made = passages.map((passage, at) => ({
    ...(passage.messageId === null ? {} : { message: passage.messageId }),
    own: stemsOf(passage.text),
    ownFamilies: [...familiesIn(passage.text)].join(" "),
    text: around(stems, at, adjacent)
  }))
  if (long) return { ...openings, whole: stems.join("\n"), passages: made }
  const spelled = passages.map(countedText)
  const families = passages.map(({ speaker, text }) => familiesOf([...speaker, ...text]))
  return {
    ...openings,
    whole: stems.join("\n"),
    wholeSpelled: spelled.join("\n"),
    wholeFamilies: families.join("\n"),
    passages: made.map((passage, at) => ({
      ...passage,
      spelled: around(spelled, at, adjacent),
      families: around(families, at, adjacent)
    }))
  }
}

/** Adjacent messages in each passage of a long appeal: fewer, so that its document stays below the size limit. */
const LONG_ADJACENT = 1

const isLong = ({ texts }: IndexedDocument): boolean => {
  let bytes = 0
  for (const { text } of texts ?? []) bytes += Buffer.byteLength(text)
  return bytes > OPENSEARCH_SPELLED_BYTES_MAX
}

const stemsOf = (words: ReadonlyArray<WordForm>): string => words.map(({ stem }) => stem).join(" ")

const familiesOf = (words: ReadonlyArray<WordForm>): string =>
  words.flatMap((word) => familyIn(word) ?? []).join(" ")

const around = (lines: ReadonlyArray<string>, at: number, adjacent: number): string =>
  lines.slice(Math.max(0, at - adjacent), at + adjacent + 1).join("\n")
