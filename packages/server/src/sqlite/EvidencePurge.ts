// Takes out of an index file what is left of removed documents. SQLite and FTS5 keep the words of what was deleted in merged
// segments, free pages and the log until they are written again; an erased client's must not stay there (contract §9).
import { type EvidenceFile, numberAt, rowOf } from "./EvidenceFiles.ts"

/** Pages of segments merged by one step, so that searches and writes get their turn between two. */
const MERGE_PAGES = 64

/** To be run in the transaction of a removal: the file remembers, through a kill too, that there is something to purge. */
export const notePurge = (file: EvidenceFile): void => file.exec("pragma application_id = 1")

export const isPurgeDue = (file: EvidenceFile): boolean =>
  numberAt(rowOf(file.write("pragma application_id").get()), 0) === 1

/** One step of merging all segments into one; `begun` after the first. True: there is another. */
export const purgeStep = (file: EvidenceFile, begun: boolean): boolean => {
  const before = changesOf(file)
  file.exec(
    `insert into passage_text (passage_text, rank) values ('merge', ${begun ? MERGE_PAGES : -MERGE_PAGES})`
  )
  // FTS5 says by fewer than two changes that it had nothing to do.
  return changesOf(file) - before >= 2
}

/** The log emptied into the file; false where a reader still needs it: to be tried again. */
export const endPurge = (file: EvidenceFile): boolean => {
  file.exec("pragma application_id = 0")
  const isBusy = numberAt(rowOf(file.write("pragma wal_checkpoint(truncate)").get()), 0) === 1
  if (isBusy) notePurge(file)
  return !isBusy
}

const changesOf = (file: EvidenceFile): number =>
  numberAt(rowOf(file.write("select total_changes()").get()), 0)
