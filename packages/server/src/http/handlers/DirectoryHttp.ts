// Subjects and skill groups over HTTP: each handler is one call of a use case (contract §9).
import { Api } from "@rapport/contract/Api.ts"
import { Directory } from "@rapport/core/directory/Directory.ts"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { createHandler, getHandler, listHandler, updateHandler } from "./Records.ts"

const root = "/kw/api/v1"

export const directoryLayer = HttpApiBuilder.group(
  Api,
  "directory",
  Effect.fnUntraced(function* (handlers) {
    const { skillGroups: groups, subjects } = yield* Directory
    return handlers.handleAll({
      listSubjects: listHandler(subjects.list),
      getSubject: getHandler(subjects.get),
      createSubject: createHandler(`${root}/subjects`, subjects.create),
      updateSubject: updateHandler(subjects.update),
      listSkillGroups: listHandler(groups.list),
      getSkillGroup: getHandler(groups.get),
      createSkillGroup: createHandler(`${root}/skill-groups`, groups.create),
      updateSkillGroup: updateHandler(groups.update)
    })
  })
)
