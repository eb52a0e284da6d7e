// Runs Schemathesis against a new service: every answer must match openapi.json, and invalid requests must be refused. `--small`, the run
// of CI, sends only the examples.
import { Console, Effect } from "effect"
import { spawn } from "node:child_process"
import * as path from "node:path"
import { RunningServer, ServerFixtures } from "../packages/server/src/testing/ServerFixtures.ts"
import { unlimitedEnvironment } from "../packages/server/src/testing/SharedDatabaseFixtures.ts"
import { pythonPrograms } from "./PythonProgram.ts"

const programs = pythonPrograms("schemathesis", "4.32.5")
/** Timeout of the whole run: its generators could continue for hours. */
const SECONDS_MAX = 900
const isSmall = process.argv.includes("--small")

const checks = [
  "not_a_server_error",
  "status_code_conformance",
  "content_type_conformance",
  "response_headers_conformance",
  "whole_rows_conformance",
  "distinct_data_rejection",
  "unsupported_method"
]

const run = (origin: string) =>
  new Promise<number>((resolve) => {
    const args = [
      `--config-file=${path.join(import.meta.dirname, "schemathesis.toml")}`,
      "run",
      `${origin}/swagger.json`,
      `--checks=${checks.join(",")}`,
      `--phases=${isSmall ? "examples" : "examples,coverage,fuzzing"}`,
      `--max-examples=${isSmall ? 10 : 200}`,
      ...(isSmall ? [] : [`--max-time=${SECONDS_MAX}`]),
      "--continue-on-failure",
      "--suppress-health-check=all",
      "--warnings=off",
      isSmall ? "--generation-deterministic" : "--generation-database=none",
      ...process.argv.slice(2).filter((arg) => arg !== "--small")
    ]
    const env = {
      ...process.env,
      RAPPORT_ORIGIN: origin,
      PYTHONPATH: import.meta.dirname,
      SCHEMATHESIS_HOOKS: "fuzz_login"
    }
    spawn(path.join(programs, "schemathesis"), args, {
      stdio: "inherit",
      env,
      cwd: path.resolve(programs, "../..")
    }).once("close", (code) => resolve(code ?? 1))
  })

const main = Effect.gen(function* () {
  const { origin, process: service } = yield* RunningServer
  const code = yield* Effect.promise(() => run(origin))
  // A defect is logged with its cause, which no answer shows.
  if (service.stderr !== "") yield* Console.error(service.stderr.slice(-20_000))
  return code
}).pipe(
  Effect.provide(
    ServerFixtures.running({
      ...unlimitedEnvironment,
      // Logins and wrong passwords are generated as well, all from one address.
      RAPPORT_LIMIT_FAILED_LOGINS_PER_5_MINUTES: "1000000",
      RAPPORT_LIMIT_FAILED_LOGINS_PER_5_MINUTES_ADDRESS: "1000000",
      LOG_LEVEL: "error"
    })
  )
)

process.exitCode = await Effect.runPromise(main)
