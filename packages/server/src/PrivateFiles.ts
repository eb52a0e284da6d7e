// Folders and files of the data folder, which only their owner may enter and read (docs/operations.md, "Who may read what").
import * as fs from "node:fs"

export const PRIVATE_FOLDER = 0o700
export const PRIVATE_FILE = 0o600

/** Makes the folder where it is missing; one that is there loses what it grants to others. */
export const makePrivateFolder = (folder: string): void => {
  fs.mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER })
  restrict(folder, PRIVATE_FOLDER)
}

/** Removes the rights of all others, where the file exists and is ours to change. */
export const restrict = (place: string, mode: number): void => {
  try {
    if ((fs.statSync(place).mode & 0o777) !== mode) fs.chmodSync(place, mode)
  } catch {
    // Not there, or made by another user, who grants what there is to grant.
  }
}
