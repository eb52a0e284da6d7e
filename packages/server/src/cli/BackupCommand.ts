// `rapport backup` writes the database to one file; `rapport restore` loads it into an empty one.
import { FileStorage } from "@rapport/core/files/FileStorage.ts"
import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import * as path from "node:path"
import { presentTokenKeys, TOKEN_KEY_FILE } from "../access/TokenKeyFile.ts"
import { backUp, restore } from "../postgres/backup/Backup.ts"
import { Config, type Settings } from "../Config.ts"
import { fileStorageLayer } from "../wiring/FileStorages.ts"
import { commandDatabaseLayer, onDatabaseWith } from "./CommandDatabase.ts"
import { countUnreadable } from "../postgres/scenarios/SealedConnectors.ts"
import { MEND_SECRETS } from "./Checks.ts"
import { print } from "./Output.ts"
import { findTokens, tokensTable } from "./TokenCommand.ts"
import { findUsers, usersTable } from "./UserCommand.ts"

const count = (n: number): string => n.toLocaleString("en-US")

/** The data that a backup does not contain, with their places. */
const notIn = ({ dataDir, databaseUrl, s3, tokenKeys }: Settings): ReadonlyArray<string> => [
  databaseUrl === undefined && tokenKeys === undefined
    ? `the signing keys, without which the secrets of connectors are lost: ${path.join(path.resolve(dataDir), TOKEN_KEY_FILE)}`
    : "the signing keys, without which the secrets of connectors are lost: RAPPORT_TOKEN_KEYS",
  "the settings: variables of the environment",
  "the search indexes: they are built from the database",
  ...(s3 === undefined ? [] : [`the files of messages: they are in the bucket ${s3.url}`])
]

export const backupCommand = Command.make(
  "backup",
  {
    file: Argument.String("file").pipe(
      Argument.withDescription("A new file; one that exists is never overwritten")
    )
  },
  (flags) =>
    Effect.gen(function* () {
      const { settings } = yield* Config
      const { filesWithoutBytes, ...made } = yield* onDatabaseWith(fileStorageLayer(settings))(
        Effect.flatMap(FileStorage, (storage) =>
          backUp(flags.file, settings.s3 === undefined ? storage : null)
        )
      )
      const folder = path.join(path.resolve(settings.dataDir), "files")
      const left = [
        ...notIn(settings),
        ...(filesWithoutBytes > 0
          ? [`${count(filesWithoutBytes)} files of messages: ${folder} lacks them`]
          : [])
      ]
      const text = [
        `${count(made.rows)} rows of ${made.tables} tables and ${count(made.files)} files are in ${made.file} (${count(made.bytes)} bytes): everything that was committed at ${made.createdAt}`,
        "not in it, keep them elsewhere:",
        ...left.map((line) => `  ${line}`)
      ].join("\n")
      yield* print({ ...made, notIncluded: left }, text)
    })
).pipe(
  Command.withDescription(
    "Write everything in the database, and the files of messages in the data folder, to one file, also while the service runs. It contains every write acknowledged before it began, personal data and password hashes; only its owner can read it (0600)"
  ),
  Command.withExamples([
    { command: "rapport backup /backups/rapport-$(date +%F).gz", description: "Every night" },
    {
      command: "RAPPORT_DATA_DIR=/tmp/proof rapport restore /backups/rapport-2026-11-22.gz",
      description: "Prove a backup: restore it once"
    }
  ])
)

export const restoreCommand = Command.make(
  "restore",
  { file: Argument.String("file").pipe(Argument.withDescription('A file of "rapport backup"')) },
  (flags) =>
    Effect.gen(function* () {
      const { settings } = yield* Config
      const done = yield* Effect.provide(restore(flags.file), fileStorageLayer(settings))
      const users = (yield* findUsers(null)).filter(({ status }) => status === "active")
      const tokens = yield* findTokens
      const keys = yield* presentTokenKeys(settings)
      const unreadableConnectors = yield* countUnreadable(keys.map(({ id }) => id))
      const text = [
        `${count(done.rows)} rows of ${done.tables} tables and ${count(done.files)} files are restored, as they were at ${done.createdAt}; search indexes build themselves when the service starts`,
        `${count(done.ended.sessions)} sessions and ${count(done.ended.invitations)} invitations are ended`,
        `held, because the service that wrote the backup may have sent them: ${count(done.held.deliveries)} messages and ${count(done.held.broadcasts)} broadcasts. "rapport delivery release" sends them, "rapport delivery discard" does not`,
        ...(unreadableConnectors === 0
          ? []
          : [
              `WARNING: the present signing keys do not open the secrets of ${count(unreadableConnectors)} connectors: before the service starts, ${MEND_SECRETS}`
            ]),
        "",
        'external tokens that are valid again; "rapport token revoke ID" ends one that was deleted since:',
        tokensTable(tokens),
        "",
        'users that are active again; "rapport user block LOGIN" ends one that was blocked since:',
        usersTable(users)
      ].join("\n")
      yield* print({ ...done, unreadableConnectors, tokens, users }, text)
    }).pipe(Effect.provide(commandDatabaseLayer))
).pipe(
  Command.withDescription(
    "Load a backup into an empty database or data folder; a database with tables is refused. Ends all sessions and invitations, and holds unsent messages. Loads everything or nothing: if it fails or is killed, run it again. A backup of an older version is migrated"
  ),
  Command.withExamples([
    {
      command: "RAPPORT_DATA_DIR=/new/folder rapport restore /backups/rapport.gz",
      description:
        "Into a new data folder; put the file token-keys into it first: the secrets of connectors are sealed with it"
    },
    {
      command: "DATABASE_URL=postgres://… rapport restore /backups/rapport.gz",
      description: "Into another PostgreSQL, 15 or newer"
    }
  ])
)
