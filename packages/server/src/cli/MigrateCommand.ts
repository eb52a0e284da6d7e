// `rapport migrate`: runs the missing migrations.
import { Effect } from "effect"
import { Command } from "effect/cli"
import { migrate } from "../postgres/schema/Migrations.ts"
import { commandDatabaseLayer } from "./CommandDatabase.ts"
import { withSettings } from "./CommandSettings.ts"
import { json } from "./Flags.ts"
import { print } from "./Output.ts"

export const migrateCommand = Command.make("migrate", { json }, (flags) =>
  Effect.gen(function* () {
    const ran = (yield* migrate).map(([id, name]) => ({ id, name }))
    const text =
      ran.length === 0
        ? "the database is up to date"
        : ran.map(({ id, name }) => `ran ${id} ${name}`).join("\n")
    yield* print(flags.json, { ran }, text)
  }).pipe(Effect.provide(commandDatabaseLayer), withSettings)
).pipe(Command.withDescription("Run the missing migrations of the database"))
