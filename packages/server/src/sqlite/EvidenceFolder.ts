// The folder of the evidence index: which file is served, which is a draft, and what becomes of lost or damaged ones.
import type { IndexCopy } from "@rapport/core/search/IndexCheckpoint.ts"
import * as fs from "node:fs"
import * as path from "node:path"
import { makePrivateFolder, PRIVATE_FILE, restrict } from "../PrivateFiles.ts"
import {
  type EvidenceFile,
  makeEvidenceFile,
  openEvidenceFile,
  openServedFile,
  type ReadFile,
  removeEvidenceFile
} from "./EvidenceFile.ts"

interface Used<File extends ReadFile> {
  readonly file: File
  /** Searches that are under way: a file that was replaced is closed after the last of them. */
  searches: number
  replaced: boolean
}

interface Opened extends Used<EvidenceFile> {
  readonly number: number
}

/** A file for one search; `release` must follow. */
export interface Lease {
  readonly file: ReadFile
  readonly release: () => void
}

const leased = (used: Used<ReadFile>): Lease => {
  used.searches++
  return {
    file: used.file,
    release: () => {
      used.searches--
      if (used.replaced && used.searches === 0) used.file.close()
    }
  }
}

/** Its connections go with the last search that reads from it. */
const leave = (used: Used<ReadFile>): void => {
  used.replaced = true
  if (used.searches === 0) used.file.close()
}

/** The same folder for a thread that only searches: it makes, publishes and deletes nothing. */
export class ServedFolder {
  readonly #folder: string
  #served: Used<ReadFile> | undefined

  constructor(folder: string) {
    this.#folder = folder
  }

  /** The served file; none: the thread that writes has to make one first. */
  lease(): Lease | undefined {
    const kept = this.#served
    if (kept !== undefined && isThere(kept)) return leased(kept)
    this.discard()
    for (const number of numbersIn(this.#folder)) {
      const file = openServedFile(pathIn(this.#folder, number))
      if (file === undefined) continue
      this.#served = { file, searches: 0, replaced: false }
      return leased(this.#served)
    }
    return undefined
  }

  /** What is damaged is opened again, or is another file by then. */
  discard(): void {
    if (this.#served !== undefined) leave(this.#served)
    this.#served = undefined
  }
}

/** Files are called evidence-<number>.sqlite; the highest that was ever published is served, one above it is the draft. */
export class EvidenceFolder {
  readonly #folder: string
  #active: Opened | undefined
  #building: Opened | undefined

  constructor(folder: string) {
    this.#folder = folder
  }

  /** The file that answers searches, made where none is there; a deleted one is noticed here. */
  active(): EvidenceFile {
    if (this.#active === undefined) this.#open()
    const kept = this.#active
    if (kept !== undefined && isThere(kept)) return kept.file
    this.#retire(kept)
    this.#active = this.#make()
    publish(this.#active)
    return this.#active.file
  }

  /** The draft, where one is under way. */
  building(): EvidenceFile | undefined {
    this.active()
    if (this.#building !== undefined && !isThere(this.#building)) this.#dropBuilding()
    return this.#building?.file
  }

  copy(name: IndexCopy): EvidenceFile | undefined {
    return name === "active" ? this.active() : this.building()
  }

  /** Replaces a copy by an empty one. */
  reset(name: IndexCopy): void {
    this.active()
    if (name === "building") {
      this.#dropBuilding()
      this.#building = this.#make()
      return
    }
    const old = this.#active
    this.#active = this.#make()
    publish(this.#active)
    this.#retire(old)
  }

  /** The draft is served from now on; without a draft nothing changes. */
  publish(): void {
    if (this.building() === undefined || this.#building === undefined) return
    publish(this.#building)
    const old = this.#active
    this.#active = this.#building
    this.#building = undefined
    this.#retire(old)
  }

  /** The served file for one search. */
  lease(): Lease {
    if (this.#active === undefined) this.active()
    return this.#active === undefined ? { file: this.active(), release: () => {} } : leased(this.#active)
  }

  /** Throws away what is damaged: both copies, since it is unknown which one it was. */
  discard(): void {
    this.#dropBuilding()
    this.#retire(this.#active)
    this.#active = undefined
  }

  close(): void {
    this.#building?.file.close()
    this.#active?.file.close()
    this.#building = undefined
    this.#active = undefined
  }

  #open(): void {
    makePrivateFolder(this.#folder)
    for (const name of fs.readdirSync(this.#folder)) restrict(path.join(this.#folder, name), PRIVATE_FILE)
    for (const number of numbersIn(this.#folder)) {
      const found = openEvidenceFile(pathIn(this.#folder, number))
      const opened =
        found === undefined ? undefined : { number, file: found.file, searches: 0, replaced: false }
      if (opened !== undefined && found?.published === true && this.#active === undefined)
        this.#active = opened
      else if (
        opened !== undefined &&
        found?.published === false &&
        // A draft of an older format would be replaced as soon as it is served.
        !opened.file.outdated &&
        this.#building === undefined &&
        this.#active === undefined
      ) {
        this.#building = opened
      } else {
        opened?.file.close()
        removeEvidenceFile(pathIn(this.#folder, number))
      }
    }
    // A file that is being built without an active one is of no use: a new one has a higher number.
    if (this.#active === undefined) this.#dropBuilding()
  }

  #make(): Opened {
    makePrivateFolder(this.#folder)
    const number =
      Math.max(0, this.#active?.number ?? 0, this.#building?.number ?? 0, ...numbersIn(this.#folder)) + 1
    return { number, file: makeEvidenceFile(pathIn(this.#folder, number)), searches: 0, replaced: false }
  }

  #dropBuilding(): void {
    this.#building?.file.close()
    if (this.#building !== undefined) removeEvidenceFile(this.#building.file.path)
    this.#building = undefined
  }

  // The file goes at once.
  #retire(old: Opened | undefined): void {
    if (old === undefined) return
    leave(old)
    removeEvidenceFile(old.file.path)
  }
}

/** Of the files that are there, the highest first. */
const numbersIn = (folder: string): ReadonlyArray<number> =>
  fs
    .readdirSync(folder)
    .flatMap((name) => /^evidence-(\d+)\.sqlite$/u.exec(name)?.[1] ?? [])
    .map(Number)
    .toSorted((a, b) => b - a)

const pathIn = (folder: string, number: number): string => path.join(folder, `evidence-${number}.sqlite`)

const isThere = ({ file }: { readonly file: ReadFile }): boolean =>
  fs.statSync(file.path, { throwIfNoEntry: false })?.ino === file.inode

const publish = ({ file }: Opened): void => file.exec("update about set published = 1")
