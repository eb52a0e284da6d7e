// Subjects and skill groups (contract §9).
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { UniqueConflict } from "../Errors.ts"
import { REOPEN_HOURS_MAX } from "../Limits.ts"
import { pathId, PositiveInt, Version } from "../values/Ids.ts"
import { collectionOf } from "../lists/Collection.ts"
import { emptiable, expectedVersion, IdList, ShortText } from "../values/Members.ts"
import { operation } from "../documents/Operation.ts"
import { updateRoute, createRoute, listRoute, getRoute } from "../lists/RecordRoutes.ts"
import { withSession } from "../http/WithSession.ts"

/**
 * A topic. `parentId` is a subject that has no parent itself. A message of the client reopens a chat or ticket that ended at most
 * `reopenHours` ago.
 */
export const Subject = Schema.Struct({
  id: PositiveInt,
  name: Schema.String,
  alias: Schema.String,
  parentId: Schema.NullOr(PositiveInt),
  reopenHours: Schema.Int,
  active: Schema.Boolean,
  version: Version
}).annotate({ identifier: "Subject" })
export type Subject = typeof Subject.Type

const Alias = Schema.String.check(
  Schema.isPattern(/^[a-z][a-z0-9_-]{0,63}$/u, {
    message: "must begin with a letter a-z and have at most 64 of a-z, 0-9, _ and -"
  })
)

const ReopenHours = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: REOPEN_HOURS_MAX }))

export const SubjectRequest = Schema.Struct({
  name: ShortText,
  alias: Alias,
  parentId: Schema.optionalKey(PositiveInt),
  reopenHours: Schema.optionalKey(ReopenHours),
  active: Schema.optionalKey(Schema.Boolean)
}).annotate({
  identifier: "SubjectRequest",
  examples: [{ name: "Garden furniture", alias: "garden-furniture" }]
})
export type SubjectRequest = typeof SubjectRequest.Type

export const SubjectPatch = Schema.Struct({
  expectedVersion,
  ...SubjectRequest.fields,
  name: Schema.optionalKey(ShortText),
  alias: Schema.optionalKey(Alias),
  parentId: emptiable(PositiveInt)
}).annotate({ identifier: "SubjectPatch", examples: [{ expectedVersion: 1, name: "Invoices" }] })
export type SubjectPatch = typeof SubjectPatch.Type

export const subjects = collectionOf("subjects", Subject, { searched: true })

/** A set of subjects and a set of operators, both ordered by id. */
export const SkillGroup = Schema.Struct({
  id: PositiveInt,
  name: Schema.String,
  active: Schema.Boolean,
  subjectIds: Schema.Array(PositiveInt),
  memberIds: Schema.Array(PositiveInt),
  version: Version
}).annotate({ identifier: "SkillGroup" })
export type SkillGroup = typeof SkillGroup.Type

export const SkillGroupRequest = Schema.Struct({
  name: ShortText,
  active: Schema.optionalKey(Schema.Boolean),
  subjectIds: Schema.optionalKey(IdList),
  memberIds: Schema.optionalKey(IdList)
}).annotate({
  identifier: "SkillGroupRequest",
  examples: [{ name: "First line", subjectIds: [12], memberIds: [31] }]
})
export type SkillGroupRequest = typeof SkillGroupRequest.Type

export const SkillGroupPatch = Schema.Struct({
  expectedVersion,
  ...SkillGroupRequest.fields,
  name: Schema.optionalKey(ShortText)
}).annotate({ identifier: "SkillGroupPatch", examples: [{ expectedVersion: 1, memberIds: [31] }] })
export type SkillGroupPatch = typeof SkillGroupPatch.Type

export const skillGroups = collectionOf("skill-groups", SkillGroup, { searched: true })

const root = "/kw/api/v1"
const subject = { id: pathId(12) }
const group = { id: pathId(3) }

export class DirectoryApi extends HttpApiGroup.make("directory")
  .add(
    HttpApiEndpoint.get("listSubjects", `${root}/subjects`, listRoute(subjects, Subject, "SubjectList")).pipe(
      operation("List subjects", "Requires directory.read.")
    ),
    HttpApiEndpoint.get("getSubject", `${root}/subjects/:id`, getRoute(subject, Subject)).pipe(
      operation("Get a subject", "The ETag is the version. Requires directory.read.")
    ),
    HttpApiEndpoint.post(
      "createSubject",
      `${root}/subjects`,
      createRoute(SubjectRequest, Subject, UniqueConflict)
    ).pipe(
      operation(
        "Create a subject",
        "`alias` is unique, and a parent has no parent itself. Requires directory.manage."
      )
    ),
    HttpApiEndpoint.patch(
      "updateSubject",
      `${root}/subjects/:id`,
      updateRoute(subject, SubjectPatch, Subject, UniqueConflict)
    ).pipe(operation("Update a subject", "Requires directory.manage, and expectedVersion or If-Match.")),
    HttpApiEndpoint.get(
      "listSkillGroups",
      `${root}/skill-groups`,
      listRoute(skillGroups, SkillGroup, "SkillGroupList")
    ).pipe(operation("List skill groups", "Requires directory.read.")),
    HttpApiEndpoint.get("getSkillGroup", `${root}/skill-groups/:id`, getRoute(group, SkillGroup)).pipe(
      operation("Get a skill group", "The ETag is the version. Requires directory.read.")
    ),
    HttpApiEndpoint.post(
      "createSkillGroup",
      `${root}/skill-groups`,
      createRoute(SkillGroupRequest, SkillGroup)
    ).pipe(
      operation("Create a skill group", "With subjects and users of the instance. Requires directory.manage.")
    ),
    HttpApiEndpoint.patch(
      "updateSkillGroup",
      `${root}/skill-groups/:id`,
      updateRoute(group, SkillGroupPatch, SkillGroup)
    ).pipe(
      operation(
        "Update a skill group",
        "Visibility changes with the members' next request. Requires directory.manage, and expectedVersion or If-Match."
      )
    )
  )
  .pipe(withSession("Directory", "Subjects and skill groups.")) {}
