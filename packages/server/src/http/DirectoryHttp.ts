// Subjects and skill groups over HTTP: each handler is one call of a use case (docs/contract.md §9).
import { Api } from "@rapport/contract/Api.ts"
import { CurrentSession } from "@rapport/contract/Authorization.ts"
import { SkillGroups } from "@rapport/core/directory/SkillGroups.ts"
import { Subjects } from "@rapport/core/directory/Subjects.ts"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { asked } from "./Listed.ts"
import { keyIn, shown, versionIn, written } from "./Written.ts"

const root = "/kw/api/v1"

export const directoryLayer = HttpApiBuilder.group(
  Api,
  "directory",
  Effect.fnUntraced(function* (handlers) {
    const subjects = yield* Subjects
    const groups = yield* SkillGroups
    return handlers
      .handle("listSubjects", ({ query }) =>
        Effect.gen(function* () {
          return HttpServerResponse.jsonUnsafe(
            yield* subjects.list(yield* CurrentSession, yield* asked(query))
          )
        })
      )
      .handle("getSubject", ({ params }) =>
        Effect.gen(function* () {
          return yield* shown(yield* subjects.get(yield* CurrentSession, params.id))
        })
      )
      .handle("createSubject", ({ headers, payload }) =>
        Effect.gen(function* () {
          const made = yield* subjects.create(yield* CurrentSession, payload, keyIn(headers))
          const { id, version } = made.answer
          return yield* written(made, { status: 201, version, location: `${root}/subjects/${id}` })
        })
      )
      .handle("updateSubject", ({ headers, params, payload }) =>
        Effect.gen(function* () {
          const { expectedVersion, ...change } = payload
          const version = yield* versionIn(expectedVersion, headers)
          const updated = yield* subjects.update(
            yield* CurrentSession,
            params.id,
            version,
            change,
            keyIn(headers)
          )
          return yield* written(updated, { version: updated.answer.version })
        })
      )
      .handle("listSkillGroups", ({ query }) =>
        Effect.gen(function* () {
          return HttpServerResponse.jsonUnsafe(yield* groups.list(yield* CurrentSession, yield* asked(query)))
        })
      )
      .handle("getSkillGroup", ({ params }) =>
        Effect.gen(function* () {
          return yield* shown(yield* groups.get(yield* CurrentSession, params.id))
        })
      )
      .handle("createSkillGroup", ({ headers, payload }) =>
        Effect.gen(function* () {
          const made = yield* groups.create(yield* CurrentSession, payload, keyIn(headers))
          const { id, version } = made.answer
          return yield* written(made, { status: 201, version, location: `${root}/skill-groups/${id}` })
        })
      )
      .handle("updateSkillGroup", ({ headers, params, payload }) =>
        Effect.gen(function* () {
          const { expectedVersion, ...change } = payload
          const version = yield* versionIn(expectedVersion, headers)
          const updated = yield* groups.update(
            yield* CurrentSession,
            params.id,
            version,
            change,
            keyIn(headers)
          )
          return yield* written(updated, { version: updated.answer.version })
        })
      )
  })
)
