// Folders and files that only their owner may read (docs/operations.md, "Who may read what").
import * as fs from "node:fs"
import * as path from "node:path"

export const PRIVATE_FOLDER = 0o700
export const PRIVATE_FILE = 0o600

/**
 * Creates the folder and its missing parents. Not with the option `recursive`: with it Node never returns under a folder
 * such as /proc, in which no folder can be created.
 */
export const makeFolder = (folder: string): void => {
  if (fs.existsSync(folder)) return
  makeFolder(path.dirname(folder))
  try {
    fs.mkdirSync(folder, { mode: PRIVATE_FOLDER })
  } catch (cause) {
    // Another process may have created it in the meantime.
    if (!fs.existsSync(folder)) throw cause
  }
}

/** Creates the folder if it is missing, and removes the rights of others from an existing one. */
export const makePrivateFolder = (folder: string): void => {
  makeFolder(folder)
  restrict(folder, PRIVATE_FOLDER)
}

/** Removes the rights of all others, if the file exists and belongs to us. */
export const restrict = (place: string, mode: number): void => {
  try {
    if ((fs.statSync(place).mode & 0o777) !== mode) fs.chmodSync(place, mode)
  } catch {
    // Missing, or owned by another user, who decides about its rights.
  }
}
