// Counts the texts of an instance in which each word occurs; a batch writes its changes with one statement for each word.
import type { InstanceWords } from "@rapport/core/search/ranking/EvidenceRanking.ts"
import { STEM_UNITS_MAX } from "@rapport/core/search/text/WordParts.ts"
import type { EvidenceTerms } from "@rapport/core/search/text/Terms.ts"
import { stem, stemOf } from "@rapport/core/search/text/Words.ts"
import { type EvidenceFile, numberAt, type ReadFile, rowOf, textAt } from "./EvidenceFiles.ts"
import { instanceStatistics, saidText } from "./EvidenceRows.ts"

export const makeVocabulary = (file: EvidenceFile, instance: number) => {
  const changes = new Map<string, number>()
  const count = (stems: Iterable<string>, by: number) => {
    for (const stem of stems) changes.set(stem, (changes.get(stem) ?? 0) + by)
  }
  return {
    /** Counts a new text with these stems. */
    added: (stems: Iterable<string>) => count(stems, 1),
    /** Counts a removed text: its stored words, of which the first `names` are the speaker's. */
    removed: (text: string, names: number) => count(saidStems(text, names), -1),
    /** Writes the counts; in the transaction of the batch. */
    write: () => {
      for (const [stem, by] of changes) if (by !== 0) writeWord(file, instance, stem, by)
      changes.clear()
    }
  }
}

export type EvidenceVocabulary = ReturnType<typeof makeVocabulary>

const writeWord = (file: EvidenceFile, instance: number, stem: string, by: number): void => {
  if (by > 0) {
    file
      .write(
        "insert into word (instance, stem, texts) values (?, ?, ?) on conflict do update set texts = texts + excluded.texts"
      )
      .run(instance, stem, by)
    return
  }
  file.write("update word set texts = texts + ? where instance = ? and stem = ?").run(by, instance, stem)
  file.write("delete from word where instance = ? and stem = ? and texts <= 0").run(instance, stem)
}

/** The distinct stems of a stored text, without the speaker's name. */
export const saidStems = (text: string, names: number): ReadonlySet<string> =>
  new Set(
    // Folding may lengthen a word; it is not cut again.
    saidText(text, names)
      .split(" ")
      .filter((word) => word !== "")
      .map((word) => (word.length > STEM_UNITS_MAX ? stemOf(word) : stem(word)))
  )

/** The stems that occur in the instance, with the number of their texts. */
export const textsWith = (
  file: ReadFile,
  instance: number,
  stems: Iterable<string>
): ReadonlyMap<string, number> =>
  new Map(
    file
      .read("select stem, texts from word where instance = ? and stem in (select value from json_each(?))")
      .all(instance, JSON.stringify([...stems]))
      .map(rowOf)
      .map((row) => [textAt(row, 0), numberAt(row, 1)])
  )

/** The words of a query in all texts of the instance, hidden ones included: for the score only, never for order or readings. */
export const instanceWords = (
  file: ReadFile,
  instance: number,
  { matching, stems }: EvidenceTerms
): InstanceWords => {
  const searchedStems = stems.slice(0, matching)
  const known = textsWith(file, instance, searchedStems)
  return {
    statistics: instanceStatistics(file, instance),
    texts: searchedStems.map((stem) => known.get(stem) ?? 0)
  }
}
