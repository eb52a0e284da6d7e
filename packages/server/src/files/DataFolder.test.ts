// A second process refuses a data folder in use and leaves it unchanged.
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as fs from "node:fs"
import { DataFolder } from "./DataFolder.ts"
import { temporaryFolder } from "../testing/PostgresFixtures.ts"

const modeOf = (folder: string): number => fs.statSync(folder).mode & 0o777

it.live("a data folder is private to its owner and keeps their permissions on a later start", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    yield* Layer.build(DataFolder.layer(folder))
    assert.strictEqual(modeOf(folder), 0o700)
    // A service that root started lets its PostgreSQL pass, which runs as another user.
    fs.chmodSync(folder, 0o710)
    const second = yield* Effect.flip(Layer.build(Layer.fresh(DataFolder.layer(folder))))
    assert.strictEqual(second._tag, "DataFolderInUse")
    assert.strictEqual(modeOf(folder), 0o710)
  })
)
