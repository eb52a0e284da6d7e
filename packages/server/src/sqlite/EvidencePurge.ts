// Purges the words of removed documents from segments, free pages and log: those of an erased client must not stay (contract §9).
import { type EvidenceFile, numberAt, rowOf } from "./EvidenceFiles.ts"

/** Pages merged by one step: few, so that searches and writes run between two steps. */
const MERGE_PAGES = 64

/** Records in the file that a purge is due; must run in the transaction of the removal. */
export const notePurge = (file: EvidenceFile): void => file.exec("pragma application_id = 1")

export const isPurgeDue = (file: EvidenceFile): boolean =>
  numberAt(rowOf(file.write("pragma application_id").get()), 0) === 1

/** One step of merging all segments into one; `begun`: it is not the first. Returns whether another is needed. */
export const purgeStep = (file: EvidenceFile, begun: boolean): boolean => {
  const before = changesOf(file)
  file.exec(
    `insert into passage_text (passage_text, rank) values ('merge', ${begun ? MERGE_PAGES : -MERGE_PAGES})`
  )
  // Fewer than two changes mean that FTS5 had nothing to merge.
  return changesOf(file) - before >= 2
}

/** Truncates the log. False if a reader still needs it: the purge stays due. */
export const endPurge = (file: EvidenceFile): boolean => {
  file.exec("pragma application_id = 0")
  const isBusy = numberAt(rowOf(file.write("pragma wal_checkpoint(truncate)").get()), 0) === 1
  if (isBusy) notePurge(file)
  return !isBusy
}

const changesOf = (file: EvidenceFile): number =>
  numberAt(rowOf(file.write("select total_changes()").get()), 0)
