// Port of subjects and skill groups in the primary database.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type {
  SkillGroup,
  SkillGroupRequest,
  Subject,
  SubjectRequest
} from "@rapport/contract/directory/DirectoryApi.ts"
import type { UniqueConflict } from "@rapport/contract/Errors.ts"
import { Context } from "effect"
import type { FindMethod, ListMethod, StoreEffect, UpdateMethod } from "../lists/StoreMethods.ts"

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

/**
 * `create` and `update` run in a transaction. `update` locks the record and writes the result of `decide` (null: no change);
 * undefined if there is no record in the instance.
 */
export class DirectoryStore extends Context.Service<
  DirectoryStore,
  {
    readonly createSubject: (
      session: AuthorizedSession,
      request: SubjectRequest
    ) => StoreEffect<Subject, UniqueConflict>
    readonly findSubject: FindMethod<Subject>
    readonly listSubjects: ListMethod
    readonly updateSubject: UpdateMethod<Subject, UniqueConflict>
    /** Locks the tree of the instance until the transaction ends. */
    readonly parentage: (
      session: AuthorizedSession,
      id: number | null,
      parentId: number
    ) => StoreEffect<Parentage>
    /** The ids that are not of the instance. */
    readonly unknownOf: (session: AuthorizedSession, ids: GroupedIds) => StoreEffect<GroupedIds>
    readonly createSkillGroup: (
      session: AuthorizedSession,
      request: SkillGroupRequest
    ) => StoreEffect<SkillGroup>
    readonly findSkillGroup: FindMethod<SkillGroup>
    readonly listSkillGroups: ListMethod
    readonly updateSkillGroup: UpdateMethod<SkillGroup>
  }
>()("core/directory/DirectoryStore") {}
