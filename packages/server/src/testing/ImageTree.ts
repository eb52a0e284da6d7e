// Builds the files of the image from the lines of docker/Dockerfile without Docker, and runs a program as in the image: as uid
// 1000 without capabilities, on a file system where only the data folder and the temporary folder are writable.
import { Effect, type Scope } from "effect"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"

const repository = path.resolve(import.meta.dirname, "../../../..")
const docker = path.join(repository, "docker")

/** Instructions with their continuation lines joined, by build stage. */
const stages = (): ReadonlyArray<ReadonlyArray<string>> => {
  const text = fs.readFileSync(path.join(docker, "Dockerfile"), "utf8")
  const lines = text
    .split("\n")
    .filter((line) => !line.startsWith("#"))
    .join("\n")
    .replaceAll(/\\\n\s*/gu, "")
    .split("\n")
    .filter((line) => line !== "")
  return lines.reduce<Array<Array<string>>>((found, line) => {
    if (line.startsWith("FROM ")) found.push([])
    found.at(-1)?.push(line)
    return found
  }, [])
}

/** Whether .dockerignore excludes a file from COPY. */
const makeIgnoreFilter = (): ((file: string) => boolean) => {
  const patterns = fs
    .readFileSync(path.join(docker, "Dockerfile.dockerignore"), "utf8")
    .split("\n")
    .filter((line) => line !== "" && line !== "*" && !line.startsWith("!"))
  const kept = patterns.map((pattern) => pattern.replace(/^\*\*\//u, "").replace(/^\*/u, ""))
  return (file) => {
    const relative = path.relative(repository, file)
    return patterns.some((pattern, at) =>
      pattern.startsWith("**/")
        ? path.basename(file).endsWith(kept[at] ?? "")
        : relative === pattern || relative.startsWith(`${pattern}/`)
    )
  }
}

const copy = (tree: string, line: string): void => {
  const names = line.split(" ").slice(1)
  const to = path.join(tree, names.pop() ?? "")
  const isIgnored = makeIgnoreFilter()
  for (const name of names) {
    const from = path.join(repository, name)
    const isFile = fs.statSync(from).isFile()
    fs.cpSync(from, isFile ? path.join(to, path.basename(from)) : to, {
      recursive: true,
      filter: (file) => !isIgnored(file)
    })
  }
}

/** Runs the line's pnpm with the store of this machine. */
const runPnpm = (tree: string, line: string): void => {
  const args = line
    .replace(/^RUN (?:--mount=\S+ )?pnpm /u, "")
    .replace(/ --store-dir \S+/u, "")
    .split(" ")
  const offline = args[0] === "install" ? ["--prefer-offline"] : []
  const ran = spawnSync("npx", ["-y", "pnpm@12", ...args, ...offline], { cwd: tree, encoding: "utf8" })
  if (ran.status !== 0) throw new Error(`${line}: ${ran.stdout}${ran.stderr}`)
}

/** Makes the bundle as the line does, with the packages of this checkout. */
const runBundle = (tree: string, line: string): void => {
  const [, , script = "", folder = ""] = line.split(" ")
  const args = [path.join(repository, script), path.join(tree, folder)]
  const ran = spawnSync(process.execPath, args, { encoding: "utf8" })
  if (ran.status !== 0) throw new Error(`${line}: ${ran.stdout}${ran.stderr}`)
}

/** Makes /app of the image in the folder. */
export const makeImageTree = (tree: string): Effect.Effect<void> =>
  Effect.sync(() => {
    const [build = [], bundle = []] = stages()
    for (const line of build) {
      if (line.startsWith("COPY ")) copy(tree, line)
      if (/^RUN (?:--mount=\S+ )?pnpm /u.test(line)) runPnpm(tree, line)
    }
    for (const line of bundle) if (line.startsWith("RUN node ")) runBundle(tree, line)
  })

const instruction = (name: string): string =>
  (stages().at(-1) ?? []).find((line) => line.startsWith(`${name} `))?.slice(name.length + 1) ?? ""
const listOf = (text: string): ReadonlyArray<string> => {
  const list: unknown = JSON.parse(text.slice(text.indexOf("[")))
  return Array.isArray(list) ? list.map(String) : []
}

/** The user, command, health check and environment of the image. */
export const imageSettings = () => ({
  user: instruction("USER"),
  command: [...listOf(instruction("ENTRYPOINT")), ...listOf(instruction("CMD"))],
  health: listOf(instruction("HEALTHCHECK")),
  environment: Object.fromEntries(
    instruction("ENV")
      .split(" ")
      .map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)])
  )
})

/** Without root, and in some containers, no private mounts can be made. */
export const isSandboxMissing: boolean =
  process.getuid?.() !== 0 ||
  spawnSync("unshare", ["--mount", "sh", "-c", "mount --bind /tmp /tmp && mount -o remount,bind,ro /tmp"], {
    stdio: "ignore"
  }).status !== 0

// $1: the folder, whose data/ and tmp/ stay writable; $2: Node, which other users may not be able to reach at its path.
const sandboxScript = `set -e
cd "$1"
mount --make-rprivate /
mount --bind data data
mount --bind tmp tmp
mount --bind "$2" node
while read -r _ place _; do
  case $place in "$1"/data | "$1"/tmp | /proc | /proc/* | /sys | /sys/* | /dev | /dev/*) ;; *) mount -o remount,bind,ro "$place" || : ;; esac
done < /proc/self/mounts
shift 2
exec setpriv --reuid 1000 --regid 1000 --clear-groups --no-new-privs --inh-caps=-all --bounding-set=-all "$@"`

/** Runs the program: the user of the image, a user of Debian that owns no files, or the user who runs the tests. */
const IMAGE_USER = 1_000
const USER_WITHOUT_FILES = 10
export const imageUser = (): number =>
  process.getuid?.() === 0
    ? isSandboxMissing
      ? USER_WITHOUT_FILES
      : IMAGE_USER
    : (process.getuid?.() ?? IMAGE_USER)

const asUser = (user: number) =>
  process.getuid?.() === 0
    ? `setpriv --reuid ${user} --regid ${user} --clear-groups --no-new-privs --inh-caps=-all --bounding-set=-all`
    : "setpriv --no-new-privs"

/** The command line that runs a program in the sandbox. `folder` has app/, data/, tmp/ and an empty file node. */
export const sandboxCommand = (folder: string, command: ReadonlyArray<string>): ReadonlyArray<string> =>
  isSandboxMissing
    ? ["sh", "-c", `cd "$1" && shift && exec ${asUser(imageUser())} "$@"`, "sh", folder, ...command]
    : ["unshare", "--mount", "sh", "-c", sandboxScript, "sh", folder, process.execPath, ...command]

/**
 * Without mounts, permissions protect the program's own folder, and files that it writes elsewhere are found by their owner.
 * Without root the user owns other files too, so only the program's folder is searched.
 */
export const protectFolder = (folder: string): Effect.Effect<void, never, Scope.Scope> => {
  const app = path.join(folder, "app")
  const rights = (mode: string) =>
    Effect.sync(() =>
      spawnSync("sh", ["-c", `chmod -R ${mode} "$1" && chmod ${mode} "$2"`, "sh", app, folder])
    )
  fs.copyFileSync(process.execPath, path.join(folder, "node"), fs.constants.COPYFILE_FICLONE)
  fs.chmodSync(path.join(folder, "node"), 0o555)
  return Effect.acquireRelease(rights("a-w"), () => rights("u+w"))
}

const PUBLIC_PLACES = ["/tmp", "/var/tmp", "/dev/shm", "/run/lock"]
export const filesWrittenElsewhere = (folder: string, since: Date): ReadonlyArray<string> => {
  const places = process.getuid?.() === 0 ? PUBLIC_PLACES : [path.join(folder, "app")]
  const owner = process.getuid?.() === 0 ? ["-user", String(USER_WITHOUT_FILES)] : []
  const inside = ["data", "tmp"].flatMap((name) => ["-not", "-path", `${path.join(folder, name)}*`])
  const found = spawnSync("find", [...places, "-newermt", since.toISOString(), ...owner, ...inside], {
    encoding: "utf8"
  })
  return found.stdout.split("\n").filter((file) => file !== "")
}
