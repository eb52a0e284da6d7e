// Subjects and skill groups over HTTP: each handler is one call of a use case (contract §9).
import { Api } from "@rapport/contract/Api.ts"
import { SkillGroups } from "@rapport/core/directory/SkillGroups.ts"
import { Subjects } from "@rapport/core/directory/Subjects.ts"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { creating, getting, listing, updating } from "./Records.ts"

const root = "/kw/api/v1"

export const directoryLayer = HttpApiBuilder.group(
  Api,
  "directory",
  Effect.fnUntraced(function* (handlers) {
    const subjects = yield* Subjects
    const groups = yield* SkillGroups
    return handlers.handleAll({
      listSubjects: listing(subjects.list),
      getSubject: getting(subjects.get),
      createSubject: creating(`${root}/subjects`, subjects.create),
      updateSubject: updating(subjects.update),
      listSkillGroups: listing(groups.list),
      getSkillGroup: getting(groups.get),
      createSkillGroup: creating(`${root}/skill-groups`, groups.create),
      updateSkillGroup: updating(groups.update)
    })
  })
)
