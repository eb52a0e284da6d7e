import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { PostgresFixtures, PreparedFolder } from "../testing/PostgresFixtures.ts"
import { RunningServer, runProgram, ServerFixtures, startProcess } from "../testing/ServerFixtures.ts"

const rapport = (...args: ReadonlyArray<string>) =>
  Effect.flatMap(PreparedFolder, ({ path }) => runProgram(args, { RAPPORT_DATA_DIR: path }))

/** Each line of arguments, two at a time. */
const each = <E, R>(
  lines: ReadonlyArray<string>,
  check: (words: ReadonlyArray<string>) => Effect.Effect<void, E, R>
) =>
  Effect.forEach(lines, (line) => check(line.split(" ").filter((word) => word !== "")), {
    concurrency: 2,
    discard: true
  })

const listed = Effect.map(rapport("instance", "list", "--json"), ({ stdout }) => JSON.parse(stdout))

// contract §11: every command except serve works while a service runs.
layer(ServerFixtures.running().pipe(Layer.provideMerge(PostgresFixtures.smallFolder)), {
  excludeTestServices: true
})("the command line beside a running service", (it) => {
  it.effect("instance create shows the password of the new administrator once", () =>
    Effect.gen(function* () {
      const made = yield* rapport("instance", "create", "--name", "Верба", "--admin-login", "Олена", "--json")
      assert.strictEqual(made.code, 0, made.stderr)
      const { adminPassword, id } = JSON.parse(made.stdout)
      assert.isAbove(id, 2)
      const { tokenOf } = yield* RunningServer
      assert.isNotEmpty(yield* Effect.promise(() => tokenOf("Олена", adminPassword)))
      const again = yield* rapport("instance", "create", "--name", "Верба", "--admin-login", "олена")
      assert.strictEqual(again.code, 1)
      assert.include(again.stderr, "in use")
      assert.lengthOf(
        (yield* listed).filter(({ name }: { name: string }) => name === "Верба"),
        1
      )
    })
  )

  it.effect("instance disable and enable switch a capability, and list shows it", () =>
    Effect.gen(function* () {
      assert.deepInclude(yield* rapport("instance", "disable", "2"), {
        code: 0,
        stdout: "instance 2 is disabled\n"
      })
      assert.deepInclude((yield* listed)[1], { id: 2, enabled: false })
      assert.deepInclude(yield* rapport("instance", "enable", "2"), { code: 0 })
      assert.deepInclude((yield* listed)[1], { id: 2, enabled: true })
      const unknown = yield* rapport("instance", "disable", "4711")
      assert.strictEqual(unknown.code, 1)
      assert.match(unknown.stderr, /^rapport: [^\n]*4711[^\n]*\n$/u)
    })
  )

  it.effect("migrate and seed report that there is nothing to do", () =>
    Effect.gen(function* () {
      assert.deepInclude(yield* rapport("migrate", "--json"), { code: 0, stdout: '{"ran":[]}\n' })
      assert.deepInclude(yield* rapport("seed", "--json"), {
        code: 0,
        stdout: '{"kind":"small","made":false}\n'
      })
    })
  )

  it.effect("index rebuild writes a request that every process obeys", () =>
    Effect.gen(function* () {
      assert.deepInclude(yield* rapport("index", "rebuild", "evidence", "--json"), {
        code: 0,
        stdout: '{"requested":["evidence"]}\n'
      })
      assert.strictEqual((yield* rapport("index", "status", "--json")).code, 0)
    })
  )

  it.effect("quarantine list shows appeal 9005, release lets it be indexed, once", () =>
    Effect.gen(function* () {
      const ids = Effect.map(rapport("quarantine", "list", "--json"), ({ stdout }) =>
        /"id":9005\b/u.test(stdout)
      )
      assert.isTrue(yield* ids)
      // It is of instance 1: named with another one it stays.
      assert.strictEqual((yield* rapport("quarantine", "release", "9005", "--instance", "2")).code, 1)
      assert.strictEqual((yield* rapport("quarantine", "retry", "--instance", "2")).code, 0)
      assert.isTrue(yield* ids)
      const released = yield* rapport("quarantine", "release", "9005", "--json")
      assert.strictEqual(released.stdout.trim(), '{"index":"evidence","id":9005}')
      assert.isFalse(yield* ids)
      const again = yield* rapport("quarantine", "release", "9005")
      assert.deepStrictEqual([again.code, again.stdout], [1, ""])
      assert.include(again.stderr, "9005 is not in the quarantine of evidence")
      assert.strictEqual((yield* rapport("quarantine", "retry", "--index", "client-memory")).code, 0)
    })
  )

  it.effect(
    "client export writes everything about a client, and client erase makes it unknown, also after a signal",
    () =>
      Effect.gen(function* () {
        const exported = yield* rapport("client", "export", "501")
        assert.strictEqual(exported.code, 0, exported.stderr)
        const lines = exported.stdout.trimEnd().split("\n")
        assert.include(lines[0], '{"kind":"client","record":{"id":501')
        const array: unknown = JSON.parse((yield* rapport("client", "export", "501", "--json")).stdout)
        // The first export has left an entry in the audit log.
        assert.strictEqual(Array.isArray(array) ? array.length : 0, lines.length + 1)
        const unconfirmed = yield* rapport("client", "erase", "501")
        assert.deepInclude(unconfirmed, { code: 2, stdout: "" })
        assert.match(unconfirmed.stderr, /client 501 "\p{Lu}.* chats.*--yes/u)
        assert.strictEqual((yield* rapport("client", "export", "501")).code, 0, "nothing was erased")
        const { path: folder } = yield* PreparedFolder
        const erasing = yield* startProcess(["client", "erase", "501", "--yes"], { RAPPORT_DATA_DIR: folder })
        // The erasure waits for earlier transactions, which leaves time to interrupt it.
        yield* Effect.promise(() => erasing.logs(/erasing: /u))
        erasing.signal("SIGINT")
        const interrupted = yield* Effect.promise(() => erasing.end)
        assert.deepInclude(interrupted, { code: 1, stdout: "" })
        assert.include(interrupted.stderr, "rapport: interrupted before it was done\n")
        const erased = yield* rapport("client", "erase", "501", "--json")
        assert.strictEqual(erased.code, 0, erased.stderr)
        assert.include(erased.stdout, '"clientId":501,"status":"finished"')
        assert.strictEqual((yield* rapport("client", "erase", "501", "--json")).stdout, erased.stdout)
        const gone = yield* rapport("client", "export", "501")
        assert.deepInclude(gone, { code: 1, stdout: "" })
        assert.include(gone.stderr, "no client 501")
        assert.strictEqual((yield* rapport("client", "erase", "4711000")).code, 1)
      })
  )

  it.effect("wrong usage ends with 2 and prints nothing on standard output", () =>
    each(
      [
        "",
        "nonsense",
        "instance",
        "instance create",
        "instance enable x",
        "index rebuild x",
        "migrate --nope"
      ],
      (words) =>
        Effect.gen(function* () {
          const { code, stderr, stdout } = yield* rapport(...words)
          assert.deepStrictEqual({ code, stdout }, { code: 2, stdout: "" })
          assert.include(stderr, "USAGE")
        })
    )
  )

  // Of every command: Commands.test.ts.
  it.effect("help and version are shown whatever the settings are", () =>
    Effect.gen(function* () {
      const wrong = { PORT: "wrong" }
      yield* each(["", "serve", "client export"], (words) =>
        Effect.map(runProgram([...words, "--help"], wrong), ({ code, stdout }) => {
          assert.strictEqual(code, 0)
          assert.include(stdout, "USAGE")
        })
      )
      assert.match((yield* runProgram(["--version"], wrong)).stdout, /\d+\.\d+\.\d+\n$/u)
    })
  )
})
