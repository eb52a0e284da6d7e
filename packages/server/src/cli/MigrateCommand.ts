// `rapport migrate`: runs the missing migrations.
import { Effect } from "effect"
import { Command } from "effect/cli"
import { migrate } from "../postgres/schema/Migrations.ts"
import { commandDatabaseLayer } from "./CommandDatabase.ts"
import { print } from "./Output.ts"

export const migrateCommand = Command.make("migrate", {}, () =>
  Effect.gen(function* () {
    const ran = (yield* migrate).map(([id, name]) => ({ id, name }))
    const text =
      ran.length === 0
        ? "the database is up to date"
        : ran.map(({ id, name }) => `ran ${id} ${name}`).join("\n")
    yield* print({ ran }, text)
  }).pipe(Effect.provide(commandDatabaseLayer))
).pipe(Command.withDescription("Run the missing migrations of the database"))
