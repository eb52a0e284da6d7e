// Port of the rows of files.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { InboundConnector } from "@rapport/contract/delivery/InboundApi.ts"
import type { StoredFile } from "@rapport/contract/files/FilesApi.ts"
import { Context } from "effect"
import type { StoreEffect } from "../lists/StoreMethods.ts"
import type { FilePlace, ContentDigest } from "./FileStorage.ts"

export interface NewFile {
  readonly id: string
  readonly name: string
  readonly mediaType: string
}

/** Puts the file into a message. A connector also takes files that external tokens uploaded. */
export type Uploader = AuthorizedSession | InboundConnector

export class FileStore extends Context.Service<
  FileStore,
  {
    /** Announces a file before its bytes are stored, so that a sweep finds the bytes of a process that died. */
    readonly begin: (uploader: Uploader, file: NewFile) => StoreEffect<void>
    /** Makes the file visible to its uploader. */
    readonly finish: (uploader: Uploader, file: NewFile, measured: ContentDigest) => StoreEffect<void>
    /** Undefined if the file is unknown, foreign, unfinished or not visible. */
    readonly find: (session: AuthorizedSession, id: string) => StoreEffect<StoredFile | undefined>
    /** A file of a message, for the bearer of its link. */
    readonly findLinked: (place: FilePlace) => StoreEffect<StoredFile | undefined>
  }
>()("core/files/FileStore") {}
