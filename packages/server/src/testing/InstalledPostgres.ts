// The PostgreSQL that is installed on the machine, with pg_dump and pg_restore, which the embedded one lacks.
import { Effect, Redacted, type Scope } from "effect"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { poolLayer } from "../postgres/connection/Database.ts"
import { temporaryFolder } from "./PostgresFixtures.ts"

const installed = "/usr/lib/postgresql"
const programs = fs.existsSync(installed)
  ? fs
      .readdirSync(installed)
      .map((version) => path.join(installed, version, "bin"))
      .findLast((bin) => fs.existsSync(path.join(bin, "initdb")))
  : undefined

/** Its tests are skipped without an installed PostgreSQL, with one warning; with CI=true that is a failure. */
export const isPostgresMissing = programs === undefined
if (isPostgresMissing) {
  if (process.env["CI"] === "true") throw new Error("no PostgreSQL is installed: .ci/run installs it")
  console.warn(`SKIPPED: nothing is tested on an installed PostgreSQL, there is none in ${installed}`)
}

const NOBODY = 65534

/** Runs a program of PostgreSQL in the folder; as `nobody` when the tests run as root. */
const program = (name: string, folder: string, args: ReadonlyArray<string>): string => {
  const ran = spawnSync(path.join(programs ?? "", name), args, {
    ...(process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}),
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    env: { PATH: "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" }
  })
  if (ran.status !== 0) throw new Error(`${name} ${args.join(" ")}: ${ran.stderr}`)
  return ran.stdout
}

export interface InstalledPostgres {
  readonly folder: string
  readonly port: number
  /** Process id of the postmaster; undefined when it does not run. */
  readonly pid: () => number | undefined
  /** Runs a program of PostgreSQL against the server. */
  readonly run: (name: string, ...args: ReadonlyArray<string>) => Effect.Effect<string>
}

/** A connection to a database of the server. */
export const databaseOf = ({ port }: InstalledPostgres, name: string) =>
  poolLayer({ url: Redacted.make(`postgres://rapport@127.0.0.1:${port}/${name}`) }, 8)

/** A cluster that trusts every client, over its socket and over TCP on loopback. */
export const installedPostgres = (
  port: number,
  settings: ReadonlyArray<string> = [],
  before: (cluster: string) => void = () => {}
): Effect.Effect<InstalledPostgres, never, Scope.Scope> =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    if (process.getuid?.() === 0) fs.chownSync(folder, NOBODY, NOBODY)
    const cluster = path.join(folder, "cluster")
    const options = [`-k ${folder}`, "-h 127.0.0.1", `-p ${port}`, "-F", ...settings].join(" ")
    yield* Effect.acquireRelease(
      Effect.sync(() => {
        program("initdb", folder, ["-D", cluster, "-U", "rapport", "--auth=trust", "-E", "UTF8", "-N"])
        before(cluster)
        program("pg_ctl", folder, ["-D", cluster, "-o", options, "-l", `${folder}/log`, "-w", "start"])
      }),
      // A test may have stopped it.
      () =>
        Effect.sync(() => {
          if (fs.existsSync(path.join(cluster, "postmaster.pid")))
            program("pg_ctl", folder, ["-D", cluster, "-m", "immediate", "-w", "stop"])
        })
    )
    return {
      folder,
      port,
      pid: () => {
        try {
          return Number(fs.readFileSync(path.join(cluster, "postmaster.pid"), "utf8").split("\n")[0])
        } catch {
          return undefined
        }
      },
      run: (name, ...args) =>
        Effect.sync(() => program(name, folder, ["-h", folder, "-p", String(port), "-U", "rapport", ...args]))
    }
  })
