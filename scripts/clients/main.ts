// Generates clients from the document, compiles them, and runs the programs of docs/clients.md against a service of its own.
// Arguments name the clients; `typescript`, the run of CI, means both of TypeScript; without arguments all are made.
import { Console, Effect } from "effect"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { stripVTControlCharacters } from "node:util"
import { temporaryFolder } from "../../packages/server/src/testing/PostgresFixtures.ts"
import { RunningServer, ServerFixtures } from "../../packages/server/src/testing/ServerFixtures.ts"

const root = path.resolve(import.meta.dirname, "../..")
const document = path.join(root, "packages/contract/openapi.json")
const guide = fs.readFileSync(path.join(root, "docs/clients.md"), "utf8")

const run = (cwd: string, program: string, args: ReadonlyArray<string>, environment = {}): string => {
  const env = { ...process.env, ...environment }
  const { error, status, stderr, stdout } = spawnSync(program, args, { cwd, encoding: "utf8", env })
  if (status !== 0)
    throw new Error(`${program} ${args.join(" ")} failed: ${String(error ?? "")}\n${stdout}\n${stderr}`)
  return stdout
}

/** The program that docs/clients.md shows for a client. */
const programOf = (name: string): string => {
  const program = new RegExp(`\`\`\`\\w+ ${name}\\n(.*?)\`\`\``, "su").exec(guide)?.[1]
  if (program === undefined) throw new Error(`docs/clients.md has no program of ${name}`)
  return program
}

interface GeneratedClient {
  readonly versions: Readonly<Record<string, string>>
  /** Installs, generates and compiles in a folder; the result runs the program and returns its output. */
  readonly make: (folder: string, versions: ReadonlyArray<string>) => (environment: object) => string
}

const inTypeScript = (
  name: string,
  versions: Readonly<Record<string, string>>,
  [generator, ...args]: readonly [string, ...ReadonlyArray<string>]
): GeneratedClient => ({
  versions,
  make: (folder, packages) => {
    fs.writeFileSync(path.join(folder, "package.json"), '{"private":true,"type":"module"}')
    run(folder, "npm", ["install", "--no-audit", "--no-fund", "--prefer-offline", "--silent", ...packages])
    run(folder, process.execPath, [path.join("node_modules", generator), ...args])
    fs.writeFileSync(path.join(folder, "example.ts"), programOf(name))
    const strict = ["--noEmit", "--strict", "--noUncheckedIndexedAccess", "--skipLibCheck"]
    const modules = ["--module", "esnext", "--moduleResolution", "bundler", "--target", "esnext"]
    const types = ["--types", "node", "--typeRoots", path.join(root, "node_modules/@types")]
    const tsc = path.join(root, "node_modules/typescript/bin/tsc")
    run(folder, process.execPath, [tsc, ...strict, ...modules, ...types, "example.ts"])
    run(folder, path.join(root, "node_modules/.bin/rolldown"), [
      "example.ts",
      "--platform",
      "node",
      "--dir",
      "out"
    ])
    return (environment) => run(folder, process.execPath, ["out/example.js"], environment)
  }
})

const python: GeneratedClient = {
  versions: { "openapi-python-client": "0.29.1" },
  make: (folder, [generator = ""]) => {
    run(folder, "python3", ["-m", "venv", "venv"])
    run(folder, "venv/bin/pip", ["install", "--quiet", generator.replace("@", "==")])
    const generate = ["generate", "--path", document, "--meta", "none", "--output-path", "rapport"]
    run(folder, "venv/bin/openapi-python-client", generate)
    fs.writeFileSync(path.join(folder, "example.py"), programOf("openapi-python-client"))
    run(folder, "venv/bin/python", ["-m", "compileall", "-q", "rapport", "example.py"])
    return (environment) => run(folder, "venv/bin/python", ["example.py"], environment)
  }
}

const java: GeneratedClient = {
  versions: {
    "org.openapitools:openapi-generator-cli": "7.14.0",
    "org.codehaus.mojo:exec-maven-plugin": "3.5.1"
  },
  make: (folder, [generator = "", exec = ""]) => {
    const artifact = generator.replace("@", ":")
    run(folder, "mvn", ["-q", "-B", "dependency:copy", `-Dartifact=${artifact}`, "-DoutputDirectory=."])
    const jar = `${artifact.split(":").slice(1).join("-")}.jar`
    const properties =
      "invokerPackage=rapport,apiPackage=rapport.api,modelPackage=rapport.model,useSingleRequestParameter=true,containerDefaultToNull=true"
    const generate = ["generate", "-i", document, "-g", "java", "--library", "native", "-o", "."]
    run(folder, "java", ["-jar", jar, ...generate, `--additional-properties=${properties}`])
    const models = fs.readdirSync(path.join(folder, "src/main/java/rapport/model"))
    const invented = models.filter((model) => /\d|Inline|AnyOf|OneOf|Inner\./u.test(model))
    if (invented.length > 0) throw new Error(`the generator had to invent names: ${invented.join(", ")}`)
    fs.writeFileSync(path.join(folder, "src/main/java/Example.java"), programOf("openapi-generator"))
    run(folder, "mvn", ["-q", "-B", "compile"])
    const goal = `${exec.replace("@", ":")}:java`
    return (environment) => run(folder, "mvn", ["-q", "-B", goal, "-Dexec.mainClass=Example"], environment)
  }
}

const clients: Readonly<Record<string, GeneratedClient>> = {
  "openapi-typescript": inTypeScript(
    "openapi-typescript",
    { "openapi-typescript": "7.13.0", "openapi-fetch": "0.17.0", typescript: "5.9.3" },
    ["openapi-typescript/bin/cli.js", document, "--default-non-nullable=false", "-o", "rapport.d.ts"]
  ),
  "hey-api": inTypeScript("hey-api", { "@hey-api/openapi-ts": "0.99.0", typescript: "5.9.3" }, [
    "@hey-api/openapi-ts/bin/run.js",
    "-i",
    document,
    "-o",
    "rapport",
    "--silent"
  ]),
  "openapi-python-client": python,
  "openapi-generator": java
}

const wanted = process.argv
  .slice(2)
  .flatMap((name) => (name === "typescript" ? ["openapi-typescript", "hey-api"] : [name]))
const names = wanted.length > 0 ? wanted : Object.keys(clients)

const main = Effect.scoped(
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const { origin: RAPPORT_URL } = yield* RunningServer
    for (const name of names) {
      const client = clients[name]
      if (client === undefined)
        throw new Error(`there is no client ${name}: ${Object.keys(clients).join(", ")}`)
      const versions = Object.entries(client.versions).map(
        ([dependency, version]) => `${dependency}@${version}`
      )
      const ownFolder = path.join(folder, name)
      fs.mkdirSync(ownFolder)
      // Maven colours its output.
      const output = stripVTControlCharacters(client.make(ownFolder, versions)({ RAPPORT_URL })).trim()
      if (!/^sha256:[0-9a-f]{64} [0-9a-f-]{36} closed \d+$/u.test(output))
        throw new Error(`${name} printed ${output}`)
      yield* Console.log(`${versions[0]}: 5 calls, ${output}`)
    }
  })
).pipe(Effect.provide(ServerFixtures.running({ LOG_LEVEL: "error" })))

await Effect.runPromise(main)
