// Documents removed from an index in OpenSearch also leave its files (contract §9, the erasure of a client).
import { assert, describe, layer } from "@effect/vitest"
import { indexAppeals, removal, write } from "@rapport/core/testing/EvidenceFixtures.ts"
import { Effect, Layer } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import {
  OpenSearchAt,
  OpenSearchFixtures,
  OwnNode,
  settingsOf,
  whyNoOwnNode
} from "../testing/OpenSearchFixtures.ts"
import { eventually } from "../testing/ProjectionFixtures.ts"
import { EvidenceIndexOpenSearch } from "./EvidenceIndexOpenSearch.ts"
import { OpenSearch } from "./OpenSearch.ts"

const live = { excludeTestServices: true, timeout: "240 seconds" } as const

const filesWith = (folder: string, word: string): ReadonlyArray<string> =>
  fs
    .readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => path.join(folder, name))
    .filter((name) => fs.statSync(name, { throwIfNoEntry: false })?.isFile() === true)
    .filter((name) => {
      try {
        return fs.readFileSync(name).includes(word)
      } catch {
        // It was removed meanwhile.
        return false
      }
    })
    .map((name) => path.basename(name))

describe.skipIf(whyNoOwnNode !== undefined)("an index in OpenSearch", () => {
  layer(OpenSearchFixtures.own, live)("after a removal", (it) => {
    it.effect("OpenSearch keeps no word of a removed document in its files", () =>
      Effect.gen(function* () {
        const { folder } = yield* OwnNode
        const { url } = yield* OpenSearchAt
        // What a copy may still need to catch up is let go after 30 s: then comes the second round.
        const index = EvidenceIndexOpenSearch.layer("purge").pipe(
          Layer.provide(OpenSearch.layer(settingsOf(url)))
        )
        yield* Effect.gen(function* () {
          const instance = yield* indexAppeals({ texts: ["zqxjkcanary їжак"] }, { texts: ["wvnbrneighbour"] })
          assert.isNotEmpty(filesWith(folder, "zqxjkcanary"))
          yield* write(instance, [removal(1, 9)])
          yield* eventually(
            Effect.sync(() => filesWith(folder, "zqxjkcanary")),
            (found) => found.length === 0
          )
        }).pipe(Effect.provide(index, { local: true }))
      })
    )
  })
})
