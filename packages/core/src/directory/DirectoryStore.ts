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

/** What a subject's place in the tree depends on, read in the transaction of the change. */
export interface Parentage {
  /** Undefined where there is no such subject in the instance; else whether it has a parent itself. */
  readonly parent: { readonly id: number; readonly hasParent: boolean } | undefined
  readonly hasChildren: boolean
}

/** What a skill group consists of. */
interface GroupedIds {
  readonly subjectIds: ReadonlyArray<number>
  readonly memberIds: ReadonlyArray<number>
}

/**
 * `create` and `update` run in a transaction. `update` locks the record and asks `decide` what it shall be (null: no
 * change); undefined when there is none in the instance.
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
    /** Holds the tree of the instance still until the transaction ends. */
    readonly parentage: (session: AuthorizedSession, id: number | null, parentId: number) => Stored<Parentage>
    /** Those of the ids that are none of the instance's. */
    readonly unknownOf: (session: AuthorizedSession, ids: GroupedIds) => Stored<GroupedIds>
    readonly createSkillGroup: (session: AuthorizedSession, request: SkillGroupRequest) => Stored<SkillGroup>
    readonly findSkillGroup: Found<SkillGroup>
    readonly listSkillGroups: Listed
    readonly updateSkillGroup: Updated<SkillGroup>
  }
>()("core/directory/DirectoryStore") {}
