// The image of docker/Dockerfile without Docker: its files are those that the service needs, it runs as the manifests run
// it, and its SBOM is right.
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawn, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import {
  sandboxCommand,
  imageSettings,
  imageUser,
  isSandboxMissing,
  makeImageTree,
  protectFolder,
  filesWrittenElsewhere
} from "../testing/ImageTree.ts"
import { temporaryFolder } from "../testing/PostgresFixtures.ts"
import { freePort } from "../testing/SharedDatabaseFixtures.ts"

if (isSandboxMissing)
  console.warn(
    "mounts are forbidden here: the image's tree is run with rights alone instead of a read-only root"
  )

const repository = path.resolve(import.meta.dirname, "../../../..")
const checkSbom = (file: string) =>
  spawnSync(process.execPath, [path.join(repository, "scripts/supply.ts"), "--check", file], {
    encoding: "utf8"
  })

/** Every image that is not built here. */
const baseImages = (folder: string): ReadonlyArray<string> => {
  const images = ["Dockerfile", "opensearch/Dockerfile", "compose.yaml"].flatMap((name) => {
    const text = fs.readFileSync(path.join(folder, "docker", name), "utf8")
    return Array.from(text.matchAll(/^(?:FROM| +image:) (\S+)/gmu), ([, image]) => image ?? "")
  })
  // A stage of the build is no image.
  const foreign = images.filter((image) => !image.endsWith(":local") && image.includes(":"))
  assert.isAbove(foreign.length, 4)
  return foreign
}

const madeIn = Effect.gen(function* () {
  const folder = yield* temporaryFolder
  for (const name of ["app", "data", "tmp"]) fs.mkdirSync(path.join(folder, name), { mode: 0o755 })
  fs.writeFileSync(path.join(folder, "node"), "")
  if (process.getuid?.() === 0)
    for (const name of ["data", "tmp"]) fs.chownSync(path.join(folder, name), imageUser(), imageUser())
  yield* makeImageTree(path.join(folder, "app"))
  return folder
})

const namesBelow = (place: string): ReadonlyArray<string> => fs.readdirSync(place)

const hasNoOtherFiles = (folder: string) => {
  const app = path.join(folder, "app")
  assert.sameMembers(
    [...namesBelow(path.join(app, "packages"))],
    ["contract", "core", "demo", "mcp", "server"]
  )
  const packages = namesBelow(path.join(app, "node_modules/.pnpm"))
  for (const name of ["vitest", "typescript", "playwright-core", "fastify", "oxlint", "fast-check"])
    assert.isFalse(
      packages.some((one) => one.startsWith(`${name}@`)),
      name
    )
  const files = fs.readdirSync(path.join(app, "packages"), { recursive: true, encoding: "utf8" })
  assert.isEmpty(
    files.filter((file) => !file.includes("node_modules") && /\.test\.ts$|\/testing\//u.test(file))
  )
  assert.isTrue(fs.existsSync(path.join(app, "LICENSE")) && fs.existsSync(path.join(app, "NOTICE")))
}

const saysItsLicences = (folder: string) => {
  const sbom = path.join(folder, "app/sbom.cdx.json")
  const text = fs.readFileSync(sbom, "utf8")
  assert.include(text, '"bomFormat": "CycloneDX"')
  assert.include(text, '"pkg:npm/effect@')
  assert.notInclude(text, '"pkg:npm/vitest@')
  assert.deepInclude(checkSbom(sbom), { status: 0, stderr: "" })
  const planted = path.join(folder, "planted.json")
  fs.writeFileSync(planted, text.replace('"id": "MIT"', '"id": "AGPL-3.0-only"'))
  assert.strictEqual(checkSbom(planted).status, 1)
  fs.writeFileSync(planted, text.replace('"id": "BSD-3-Clause"', '"name": "own"'))
  assert.strictEqual(checkSbom(planted).status, 1)
}

/** Runs a command of the image in its tree. */
const runIn = (
  folder: string,
  command: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>>
) => {
  const here = command.map((word) =>
    word === "node" ? path.join(folder, "node") : word.replace(/^\/app\//u, `${folder}/app/`)
  )
  const [program = "", ...args] = sandboxCommand(folder, here)
  return spawn(program, args, {
    cwd: folder,
    env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", TMPDIR: path.join(folder, "tmp"), ...environment },
    stdio: ["ignore", "pipe", "pipe"]
  })
}
const endOf = (child: ReturnType<typeof spawn>) =>
  new Promise<number | null>((resolve) => child.once("close", (code) => resolve(code)))

const serves = Effect.fnUntraced(function* (folder: string) {
  const since = new Date()
  if (isSandboxMissing) yield* protectFolder(folder)
  const { command, environment, health, user } = imageSettings()
  assert.strictEqual(user, "1000:1000")
  const settings = {
    ...environment,
    PORT: String(yield* freePort),
    RAPPORT_DATA_DIR: path.join(folder, "data"),
    RAPPORT_SEED: "empty",
    RAPPORT_ADMIN_LOGIN: "administrator",
    RAPPORT_ADMIN_PASSWORD: "їжак-у-тумані"
  }
  const service = runIn(folder, command, settings)
  yield* Effect.addFinalizer(() =>
    Effect.promise(async () => {
      if (service.exitCode !== null) return
      service.kill("SIGKILL")
      await endOf(service)
    })
  )
  let out = ""
  service.stdout?.on("data", (text) => (out += String(text)))
  service.stderr?.on("data", (text) => (out += String(text)))
  const ready = new Promise<void>((resolve, reject) => {
    service.stdout?.on("data", () => (/^ready /mu.test(out) ? resolve() : undefined))
    service.once("close", (code) => reject(new Error(`ended with ${code}: ${out}`)))
  })
  yield* Effect.promise(() => ready)
  // It can write where it may, and nowhere else.
  const publicPlaces = ["/tmp", "/var/tmp"].map((place) => path.join(place, `${path.basename(folder)}.x`))
  const attempt = `
    const fs = require("node:fs"), writes = (p) => { try { fs.writeFileSync(p, ""); return true } catch { return false } }
    const places = ${JSON.stringify(["app/x", "x", "/etc/x", ...publicPlaces, "data/x", "tmp/x"])}
    console.log(JSON.stringify(places.map(writes)), process.getuid(), fs.readFileSync("/proc/self/status", "utf8").match(/CapEff:\\s*(\\S+)/)[1])`
  const probe = runIn(folder, ["node", "-e", attempt], settings)
  let found = ""
  probe.stdout?.on("data", (text) => (found += String(text)))
  yield* Effect.promise(() => endOf(probe))
  const isPublic = String(isSandboxMissing)
  assert.strictEqual(
    found.trim(),
    `[false,false,false,${isPublic},${isPublic},true,true] ${imageUser()} 0000000000000000`
  )
  if (isSandboxMissing) for (const place of publicPlaces) fs.rmSync(place)
  assert.strictEqual(yield* Effect.promise(() => endOf(runIn(folder, health, settings))), 0)
  service.kill("SIGTERM")
  assert.strictEqual(yield* Effect.promise(() => endOf(service)), 0, out)
  assert.notStrictEqual(yield* Effect.promise(() => endOf(runIn(folder, health, settings))), 0)
  if (isSandboxMissing) assert.deepStrictEqual(filesWrittenElsewhere(folder, since), [])
})

it.live(
  "the image contains only what the service needs and runs read-only without capabilities",
  () =>
    Effect.gen(function* () {
      const folder = yield* madeIn
      hasNoOtherFiles(folder)
      saysItsLicences(folder)
      yield* serves(folder)
    }),
  180_000
)

it("the image and compose.yaml name base images by version and digest", () => {
  for (const image of baseImages(repository))
    assert.match(image, /^[a-z/-]+:v?\d+\.\d+[\d.]*[a-z-]*@sha256:[0-9a-f]{64}$/u)
})

it.live("the digests of base images are updated with one command, repeatedly", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    fs.cpSync(path.join(repository, "docker"), path.join(folder, "docker"), { recursive: true })
    const pin = (said: string) => {
      fs.writeFileSync(path.join(folder, "docker/docker"), `#!/bin/sh\nprintf ${said}\n`, { mode: 0o755 })
      return spawnSync(path.join(folder, "docker/pin-digests"), {
        env: { PATH: `${folder}/docker:/usr/bin:/bin` },
        encoding: "utf8"
      })
    }
    for (const digest of ["a", "b"].map((letter) => letter.repeat(64))) {
      assert.strictEqual(pin(`sha256:${digest}`).status, 0)
      const foreign = baseImages(folder)
      assert.isTrue(
        foreign.every((image) => image.endsWith(`@sha256:${digest}`)),
        foreign.join(" ")
      )
    }
    assert.strictEqual(pin("unknown").status, 1)
  })
)
