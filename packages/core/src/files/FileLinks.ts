// Port of signed links to files, which need no token (contract §7, "Files").
import { Context } from "effect"
import type { FilePlace } from "./FileStorage.ts"

export class FileLinks extends Context.Service<
  FileLinks,
  {
    /** The URL of a file. `expires` is in epoch seconds. The same arguments give the same URL. */
    readonly urlOf: (place: FilePlace, expires: number) => string
    /** The file of the last segment of a URL; undefined if it is not signed here or has expired. `now` is in epoch milliseconds. */
    readonly open: (link: string, now: number) => FilePlace | undefined
  }
>()("core/files/FileLinks") {}
