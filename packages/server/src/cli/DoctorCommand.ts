// `rapport doctor`: checks the service and suggests remedies.
import { Effect, Exit } from "effect"
import { Command } from "effect/cli"
import * as fs from "node:fs"
import * as path from "node:path"
import * as PasswordsArgon from "../access/Password.ts"
import { Config, type Settings } from "../Config.ts"
import {
  type Check,
  databaseChecks,
  demoLoginCheck,
  erasureCheck,
  heldCheck,
  indexCheck,
  localChecks,
  ok,
  openSearchCheck,
  redisCheck,
  secretsCheck,
  unreachable,
  warning
} from "./Checks.ts"
import { commandDatabaseLayer } from "./CommandDatabase.ts"
import { CommandFailed } from "./Failure.ts"
import { align, print } from "./Output.ts"
import { sharedFilesCheck, storageCheck } from "./StorageCheck.ts"

const checksOfDatabase = Effect.fnUntraced(function* (settings: Settings) {
  const checks: ReadonlyArray<Check> = yield* databaseChecks(settings)
  const isMigrated = checks.every(({ name, status }) => name !== "migrations" || status === "ok")
  if (!isMigrated) return checks
  return [
    ...checks,
    ...(yield* indexCheck),
    yield* erasureCheck,
    yield* heldCheck,
    yield* secretsCheck(settings),
    ...(yield* sharedFilesCheck(settings)),
    yield* demoLoginCheck(settings)
  ]
})

const MEND_DATABASE =
  "check DATABASE_URL (host, port, user, password, database, sslmode), DATABASE_CA_FILE if a certificate is not trusted, the network, and the log of PostgreSQL"

const runChecks = Effect.fnUntraced(function* (settings: Settings) {
  const isNew = settings.databaseUrl === undefined && !fs.existsSync(path.join(settings.dataDir, "postgres"))
  const database: ReadonlyArray<Check> = isNew
    ? [ok("database", "none yet: the first start creates it")]
    : yield* checksOfDatabase(settings).pipe(
        Effect.provide(PasswordsArgon.commandLayer),
        Effect.provide(commandDatabaseLayer),
        Effect.exit,
        Effect.map((exit) =>
          Exit.isSuccess(exit) ? exit.value : [unreachable("database", exit.cause, MEND_DATABASE)]
        )
      )
  const { openSearch, redis } = settings
  return [
    ...database,
    ...(openSearch === undefined ? [] : [yield* openSearchCheck(openSearch)]),
    ...(redis === undefined ? [] : [yield* redisCheck(redis)]),
    yield* storageCheck(settings),
    ...localChecks(settings)
  ]
})

export const doctorCommand = Command.make("doctor", {}, () =>
  Effect.gen(function* () {
    const { settings, warnings } = yield* Config
    const ofSettings: ReadonlyArray<Check> =
      warnings.length === 0
        ? [ok("settings", "all are known and valid")]
        : warnings.map((found) => warning("settings", found, "correct or remove the variable"))
    const checks = [...ofSettings, ...(yield* runChecks(settings))]
    const wrong = checks.filter(({ status }) => status === "failed")
    const rows = checks.flatMap(({ found, mend, name, status }) => [
      [status.toUpperCase(), name, found],
      ...(mend === null ? [] : [["", "", `→ ${mend}`]])
    ])
    yield* print({ healthy: wrong.length === 0, checks }, align(rows))
    if (wrong.length > 0)
      return yield* new CommandFailed({
        message: `${wrong.length} failed: ${wrong.map(({ name }) => name).join(", ")}`
      })
  })
).pipe(
  Command.withDescription(
    "Report what is wrong and how to fix it: settings, database, migrations, clock, indexes, erasures, messages that a restore holds, secrets of connectors, demo logins, Redis, the storage of files, keys, disk, TLS. Changes nothing. Exit codes: 0 healthy, 1 a check failed, 2 a wrong setting"
  ),
  Command.withExamples([
    { command: "rapport doctor", description: "While a service runs, or before its first start" },
    {
      command: "rapport doctor --json | jq '.checks[] | select(.status != \"ok\")'",
      description: "For a monitor"
    }
  ])
)
