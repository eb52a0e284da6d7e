// `rapport backup` and `rapport restore`: everything in the database as one file, and back into an empty one.
import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import * as path from "node:path"
import { TOKEN_KEY_FILE } from "../access/TokenKeyFile.ts"
import { backUp, restore } from "../backup/Backup.ts"
import { Config } from "../Config.ts"
import { commandDatabaseLayer, onDatabase } from "./CommandDatabase.ts"
import { withSettings } from "./CommandSettings.ts"
import { json, print } from "./Output.ts"

const count = (n: number): string => n.toLocaleString("en-US")

/** What a backup leaves out, and where it is. */
const notIn = Effect.map(Config, ({ settings: { dataDir, databaseUrl, tokenKeys } }) => [
  databaseUrl === undefined && tokenKeys === undefined
    ? `the signing keys: ${path.join(path.resolve(dataDir), TOKEN_KEY_FILE)}`
    : "the signing keys: RAPPORT_TOKEN_KEYS",
  "the settings: variables of the environment",
  "the search indexes: they are built from the database"
])

export const backupCommand = Command.make(
  "backup",
  {
    file: Argument.String("file").pipe(
      Argument.withDescription("A new file; one that exists is never overwritten")
    ),
    json
  },
  (flags) =>
    Effect.gen(function* () {
      const left = yield* notIn
      const made = yield* onDatabase(backUp(flags.file))
      const text = [
        `${count(made.rows)} rows of ${made.tables} tables are in ${made.file} (${count(made.bytes)} bytes): everything that was committed at ${made.createdAt}`,
        "not in it, keep them elsewhere:",
        ...left.map((line) => `  ${line}`)
      ].join("\n")
      yield* print(flags.json, { ...made, notIncluded: left }, text)
    }).pipe(withSettings)
).pipe(
  Command.withDescription(
    "Write everything in the database to one file, also beside a running service: what was acknowledged before is in it. It holds personal data and hashes of passwords, for its owner alone (0600)"
  ),
  Command.withExamples([
    { command: "rapport backup /backups/rapport-$(date +%F).gz", description: "Every night" },
    {
      command: "RAPPORT_DATA_DIR=/tmp/proof rapport restore /backups/rapport-2026-11-22.gz",
      description: "A backup counts when it was restored once"
    }
  ])
)

export const restoreCommand = Command.make(
  "restore",
  { file: Argument.String("file").pipe(Argument.withDescription('A file of "rapport backup"')), json },
  (flags) =>
    Effect.gen(function* () {
      const done = yield* restore(flags.file)
      const text = `${count(done.rows)} rows of ${done.tables} tables are restored, as they were at ${done.createdAt}; search indexes build themselves when the service starts`
      yield* print(flags.json, done, text)
    }).pipe(Effect.provide(commandDatabaseLayer), withSettings)
).pipe(
  Command.withDescription(
    "Load a backup into an empty database, or an empty data folder; one that holds tables is refused. All of it or nothing: killed or failed, run it again. A backup of an older version is brought to this one"
  ),
  Command.withExamples([
    {
      command: "RAPPORT_DATA_DIR=/new/folder rapport restore /backups/rapport.gz",
      description: "Into a new data folder; put the file token-keys beside it, so that no user is logged out"
    },
    {
      command: "DATABASE_URL=postgres://… rapport restore /backups/rapport.gz",
      description: "Into another PostgreSQL, 15 or newer"
    }
  ])
)
