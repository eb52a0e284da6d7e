// Folders and files of the data folder, which only their owner may enter and read (docs/operations.md, "Who may read what").
import * as fs from "node:fs"
import * as path from "node:path"

export const PRIVATE_FOLDER = 0o700
export const PRIVATE_FILE = 0o600

/**
 * Makes the folder and its parents where they are missing. Without the option `recursive`: with it Node never returns under
 * a folder such as /proc, where nobody can make one.
 */
export const makeFolder = (folder: string): void => {
  if (fs.existsSync(folder)) return
  makeFolder(path.dirname(folder))
  try {
    fs.mkdirSync(folder, { mode: PRIVATE_FOLDER })
  } catch (cause) {
    // Another process may have made it in the meantime.
    if (!fs.existsSync(folder)) throw cause
  }
}

/** Makes the folder where it is missing; one that is there loses what it grants to others. */
export const makePrivateFolder = (folder: string): void => {
  makeFolder(folder)
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
