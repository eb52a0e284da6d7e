// Subjects and skill groups over HTTP: each handler is one call of a use case (docs/contract.md §9).
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
    return handlers
      .handle("listSubjects", listing(subjects.list))
      .handle("getSubject", getting(subjects.get))
      .handle("createSubject", creating(`${root}/subjects`, subjects.create))
      .handle("updateSubject", updating(subjects.update))
      .handle("listSkillGroups", listing(groups.list))
      .handle("getSkillGroup", getting(groups.get))
      .handle("createSkillGroup", creating(`${root}/skill-groups`, groups.create))
      .handle("updateSkillGroup", updating(groups.update))
  })
)
