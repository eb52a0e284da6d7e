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
import type { Found, Listed, Stored, Updated } from "../lists/Stored.ts"

/** Parent and children of a subject in the tree, read in the transaction of the change. */
export interface Parentage {
  /** Undefined if there is no such subject; else whether it has a parent itself. */
  readonly parent: { readonly id: number; readonly hasParent: boolean } | undefined
  readonly hasChildren: boolean
}

/** What a skill group consists of. */
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
    ) => Stored<Subject, UniqueConflict>
    readonly findSubject: Found<Subject>
    readonly listSubjects: Listed
    readonly updateSubject: Updated<Subject, UniqueConflict>
    /** Locks the tree of the instance until the transaction ends. */
    readonly parentage: (session: AuthorizedSession, id: number | null, parentId: number) => Stored<Parentage>
    /** The ids that are not of the instance. */
    readonly unknownOf: (session: AuthorizedSession, ids: GroupedIds) => Stored<GroupedIds>
    readonly createSkillGroup: (session: AuthorizedSession, request: SkillGroupRequest) => Stored<SkillGroup>
    readonly findSkillGroup: Found<SkillGroup>
    readonly listSkillGroups: Listed
    readonly updateSkillGroup: Updated<SkillGroup>
  }
>()("core/directory/DirectoryStore") {}
