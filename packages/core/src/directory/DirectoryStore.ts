// Port of subjects and skill groups in the primary database.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { SkillGroup, Subject } from "@rapport/contract/directory/DirectoryApi.ts"
import type { UniqueConflict } from "@rapport/contract/Errors.ts"
import { Context } from "effect"
import type { RecordMethods, StoreEffect } from "../lists/StoreMethods.ts"

/** Parent and children of a subject in the tree, read in the transaction of the change. */
export interface Parentage {
  /** Undefined if there is no such subject; else whether it has a parent itself. */
  readonly parent: { readonly id: number; readonly hasParent: boolean } | undefined
  readonly hasChildren: boolean
}

/** The subjects and members of a skill group. */
interface GroupedIds {
  readonly subjectIds: ReadonlyArray<number>
  readonly memberIds: ReadonlyArray<number>
}

export class DirectoryStore extends Context.Service<
  DirectoryStore,
  {
    readonly subjects: RecordMethods<Subject, UniqueConflict>
    readonly skillGroups: RecordMethods<SkillGroup>
    /** Locks the tree of the instance until the transaction ends. */
    readonly parentage: (
      session: AuthorizedSession,
      id: number | null,
      parentId: number
    ) => StoreEffect<Parentage>
    /** The ids that are not of the instance. */
    readonly unknownOf: (session: AuthorizedSession, ids: GroupedIds) => StoreEffect<GroupedIds>
  }
>()("core/directory/DirectoryStore") {}
