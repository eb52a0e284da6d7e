// What a write over HTTP costs beside the same statements sent by pgbench: `node scripts/writeCost.ts [seconds] [rounds]`.
// It records what the service sends for one write, replays that with pgbench (postgresql-contrib, on PATH), in turn with
// `pnpm bench write` on the same PostgreSQL, and prints both medians and their ratio.
import { Console, Effect, Schedule, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { temporaryFolder } from "../packages/server/src/testing/PostgresFixtures.ts"
import { send } from "../packages/server/src/testing/WriterFixtures.ts"
import { measuredService } from "./measuredService.ts"

const [seconds = "5", rounds = "3"] = process.argv.slice(2)
const bench = path.resolve(import.meta.dirname, "../packages/bench/src/main.ts")

/** One recorded statement with its parameters; null where one is NULL. */
interface Sent {
  readonly text: string
  readonly parameters: ReadonlyArray<string | null>
}

const run = (file: string, args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
  Effect.promise(
    () =>
      new Promise<string>((resolve, reject) => {
        const child = spawn(file, args, {
          env: { ...process.env, ...env },
          stdio: ["ignore", "pipe", "inherit"]
        })
        let text = ""
        child.stdout.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
        child.once("error", reject)
        child.once("close", (code) =>
          code === 0 ? resolve(text) : reject(new Error(`${file} ended with ${code}`))
        )
      })
  )

/** The statements of the backend that used the key, from its last authentication to its COMMIT. */
const recorded = (log: string, key: string): ReadonlyArray<Sent> => {
  const entries = log.split(/\n(?=@\d+ )/u).map((entry) => entry.replaceAll(/\s+/gu, " "))
  const used = entries.find((entry) => entry.includes(`'${key}'`))
  const pid = used?.split(" ")[0] ?? ""
  const own = entries.filter((entry) => entry.startsWith(`${pid} `))
  const sent: Array<Sent> = []
  for (const entry of own) {
    const text = /LOG: execute \S+: (.*)$/u.exec(entry)?.[1]
    const details = /DETAIL: [Pp]arameters: (.*)$/u.exec(entry)?.[1]
    if (text !== undefined) sent.push({ text, parameters: [] })
    else if (details !== undefined) {
      const last = sent.pop()
      const parameters = [...details.matchAll(/\$\d+ = (?:NULL|'((?:[^']|'')*)')/gu)].map(
        ([, value]) => value ?? null
      )
      if (last !== undefined) sent.push({ text: last.text, parameters })
    }
  }
  const receipt = sent.findIndex(
    ({ parameters, text }) => text.startsWith("insert into receipts") && parameters.includes(key)
  )
  const end = sent.findIndex(({ text }, i) => i > receipt && text === "COMMIT")
  // Before BEGIN: who asks, and the client.
  return sent.slice(Math.max(0, receipt - 3), end + 1)
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/u

/** The statements as pgbench sends them: ids and keys of each run are new, and each client has a namespace of its own. */
const replayed = (statements: ReadonlyArray<Sent>, key: string, namespace: string): string => {
  const known = new Set(statements[0]?.parameters)
  const literal = (value: string | null) => {
    if (value === null) return "null"
    if (value === key) return "('k' || :turn::text)"
    if (value === namespace) return "('cost.' || :client_id::text)"
    if (uuid.test(value) && !known.has(value)) return "gen_random_uuid()"
    // pgbench takes a colon for a variable, within texts too.
    return value.includes(":")
      ? `U&'${value.replaceAll("\\", "\\\\").replaceAll(":", "\\003A")}'`
      : `'${value}'`
  }
  return [
    "\\set turn random(1, 1000000000000000)",
    ...statements.map(({ parameters, text }) => {
      const reads = text.startsWith("select t.version")
      const written = text.replaceAll(/\$(\d+)(?!\d)/gu, (_, n: string) =>
        literal(parameters[Number(n) - 1] ?? null)
      )
      return `${written.replace(/and version = '\d+'/u, "and version = :version::int8")}${reads ? " \\gset" : ";"}`
    })
  ].join("\n")
}

/** Median latency of a transaction in milliseconds, by the log that pgbench keeps of each. */
const pgbench = Effect.fnUntraced(function* (url: string, folder: string, script: string, clients: number) {
  const [file, prefix] = [path.join(folder, "script.sql"), path.join(folder, "latency")]
  fs.writeFileSync(file, script)
  const args = ["-n", "-M", "prepared", "-f", file, "-c", String(clients), "-j", "1", "-T", seconds]
  yield* run("pgbench", [...args, "-l", `--log-prefix=${prefix}`, url])
  const logs = fs.readdirSync(folder).filter((name) => name.startsWith("latency"))
  const micros = logs.flatMap((name) => {
    const lines = fs.readFileSync(path.join(folder, name), "utf8").trim().split("\n")
    fs.rmSync(path.join(folder, name))
    return lines.map((line) => Number(line.split(" ")[2]))
  })
  return median(micros) / 1_000
})
const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

const logging = (sql: SqlClient.SqlClient, value: "all" | "none") =>
  Effect.andThen(sql.unsafe(`alter system set log_statement = '${value}'`), sql`select pg_reload_conf()`)
const write = (expectedVersion: number) => ({
  expectedVersion,
  state: { step: expectedVersion, tier: "gold" }
})

const Outcomes = Schema.Record(Schema.String, Schema.Struct({ p50Millis: Schema.Finite }))
const decodeOutcomes = Schema.decodeUnknownEffect(Schema.fromJsonString(Outcomes))

const program = Effect.gen(function* () {
  const data = yield* temporaryFolder
  const { folder, origin, sql, token, url } = yield* measuredService({
    logging_collector: "on",
    log_directory: "log",
    log_filename: "statements.log",
    log_line_prefix: "@%p "
  })

  const record = Effect.fnUntraced(function* (sent: Parameters<typeof send>[2], key: string) {
    yield* logging(sql, "all")
    yield* Effect.sleep("1 second")
    yield* Effect.promise(() => send(origin, token, { ...sent, key }))
    yield* logging(sql, "none")
    yield* Effect.sleep("1 second")
    return recorded(fs.readFileSync(path.join(folder, "postgres/log/statements.log"), "utf8"), key)
  })
  const action = {
    type: "order.created",
    occurredAt: "2026-03-01T08:00:00Z",
    actorType: "client",
    summary: "Замовлення 10442, два роутери",
    payload: { total: 3198 }
  }
  const state = { method: "PUT", path: "/kw/clients/501/context/state/cost.recorded" }
  // Compare-and-set of a version that is there: the first one is an insert.
  yield* Effect.promise(() => send(origin, token, { ...state, key: "cost-first", body: write(0) }))
  const statements = {
    action: yield* record({ path: "/kw/clients/501/context/actions", body: action }, "cost-action"),
    state: yield* record({ ...state, body: write(1) }, "cost-state")
  }
  for (let client = 0; client < 16; client++)
    yield* Effect.promise(() =>
      send(origin, token, {
        method: "PUT",
        path: `/kw/clients/501/context/state/cost.${client}`,
        key: `cost-${client}`,
        body: write(0)
      })
    )

  const caughtUp = Effect.promise(() => send(origin, token, { path: "/kw/context/readiness" })).pipe(
    Effect.repeat({
      schedule: Schedule.spaced("200 millis"),
      until: ({ text }) => [...text.matchAll(/"indexLagMs":(\d+)/gu)].every(([, lag]) => lag === "0")
    })
  )

  for (const clients of [1, 16])
    for (const [name, sent] of Object.entries(statements)) {
      const script = replayed(sent, `cost-${name}`, "cost.recorded")
      const [floor, ours]: [Array<number>, Array<number>] = [[], []]
      for (let round = 0; round < Number(rounds); round++) {
        floor.push(yield* pgbench(url, data, script, clients))
        // What pgbench wrote is indexed by the service, too; that is no cost of the write that is measured next.
        yield* caughtUp
        const args = [bench, "write", "--json", "--connections", String(clients), "--seconds", seconds]
        const outcomes = yield* decodeOutcomes(yield* run(process.execPath, args, { RAPPORT_URL: origin }))
        ours.push(outcomes[name]?.p50Millis ?? 0)
      }
      const [theirs, mine] = [median(floor), median(ours)]
      yield* Console.log(
        `${name}, ${clients} at once, ${sent.length} statements: pgbench p50 ${theirs.toFixed(2)} ms, HTTP p50 ${mine.toFixed(2)} ms, ratio ${(mine / theirs).toFixed(2)}`
      )
    }
})

await Effect.runPromise(Effect.scoped(program))
