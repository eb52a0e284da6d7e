// Real OpenSearch nodes as processes of this machine, from Maven Central: for tests, and for `pnpm opensearch`.
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import * as net from "node:net"
import * as os from "node:os"
import * as path from "node:path"

const repository = path.resolve(import.meta.dirname, "../../../..")
const sources = path.join(repository, "docker/opensearch")
const cache = path.join(repository, "node_modules/.cache/rapport-opensearch")

const JDK_MIN = 21

/** The newest JDK of at least JDK_MIN: JAVA_HOME, the one on PATH, or any that is installed where JDKs are. */
const findJava = (environment: NodeJS.ProcessEnv): string | undefined => {
  const homes = [environment["JAVA_HOME"], ...installedHomes()].filter((home) => home !== undefined)
  const onPath = (environment["PATH"] ?? "").split(path.delimiter).map((folder) => path.join(folder, "java"))
  const found = [...new Set([...homes.map((home) => path.join(home, "bin/java")), ...onPath])]
    // Node.java is compiled when it is run: a JRE is not enough.
    .filter(
      (java) => fs.existsSync(java) && fs.existsSync(path.join(path.dirname(fs.realpathSync(java)), "javac"))
    )
    .map((java) => ({ java, version: versionOf(java) }))
    .filter(({ version }) => version >= JDK_MIN)
  return found.toSorted((a, b) => b.version - a.version)[0]?.java
}

const installedHomes = (): ReadonlyArray<string> => {
  const home = os.homedir()
  const foldersOfHomes = [
    "/usr/lib/jvm",
    "/usr/java",
    "/opt/java",
    path.join(home, ".jdks"),
    path.join(home, ".sdkman/candidates/java")
  ]
  const inFolders = foldersOfHomes.flatMap((folder) =>
    fs.existsSync(folder) ? fs.readdirSync(folder).map((name) => path.join(folder, name)) : []
  )
  const macs = "/Library/Java/JavaVirtualMachines"
  const onMac = fs.existsSync(macs)
    ? fs.readdirSync(macs).map((name) => path.join(macs, name, "Contents/Home"))
    : []
  return [...inFolders, ...onMac]
}

const versionOf = (java: string): number => {
  const { stderr } = spawnSync(java, ["-version"], { encoding: "utf8" })
  return Number(/version "(\d+)/u.exec(stderr ?? "")?.[1] ?? 0)
}

/** Why no node can be started on this machine; undefined: a node can be started. */
export const nodeImpossible = (environment: NodeJS.ProcessEnv): string | undefined => {
  if (findJava(environment) === undefined) return `no JDK of version ${JDK_MIN} or newer is installed`
  if (fs.existsSync(jarsFolder()) || spawnSync("mvn", ["-v"]).status === 0) return undefined
  return "Maven (mvn) is not installed"
}

const jarsFolder = (): string => {
  const pom = fs.readFileSync(path.join(sources, "pom.xml"))
  return path.join(cache, createHash("sha256").update(pom).digest("hex").slice(0, 16))
}

/** Fetches the jars once for each content of the pom. Returns their folder. */
const fetchJars = (): string => {
  const ready = jarsFolder()
  if (fs.existsSync(ready)) return ready
  const draft = `${ready}.${process.pid}`
  const pom = path.join(sources, "pom.xml")
  const copy = ["-q", "-B", "-f", pom, "dependency:copy-dependencies", `-DoutputDirectory=${draft}`]
  const { error, status, stderr, stdout } = spawnSync("mvn", copy, { encoding: "utf8" })
  if (status !== 0) throw new Error(`mvn could not fetch OpenSearch: ${error?.message ?? stdout + stderr}`)
  // Another process may have fetched the same jars meanwhile.
  if (fs.existsSync(ready)) fs.rmSync(draft, { recursive: true, force: true })
  else fs.renameSync(draft, ready)
  return ready
}

/** A running node; its data stays in `folder`. */
export interface OpenSearchNode {
  readonly url: string
  readonly process: ChildProcess
  /** Settles with the end of the process. */
  readonly end: Promise<void>
}

/** Transport ports of all nodes of a cluster, and the number of this node, from 1. */
export interface ClusterPlace {
  readonly transportPorts: ReadonlyArray<number>
  readonly at: number
}

/** Starts a node on `port` and waits until it answers. Without `place` it is a cluster of one node. */
export const startNode = async (
  environment: NodeJS.ProcessEnv,
  { folder, place, port }: { readonly folder: string; readonly port: number; readonly place?: ClusterPlace }
): Promise<OpenSearchNode> => {
  const java = findJava(environment)
  if (java === undefined) throw new Error(nodeImpossible(environment))
  const ofCluster =
    place === undefined
      ? []
      : [String(place.transportPorts[place.at - 1]), `node${place.at}`, place.transportPorts.join(",")]
  const child = spawn(
    java,
    [
      "-Xms512m",
      "-Xmx512m",
      "-XX:TieredStopAtLevel=1",
      "--enable-native-access=ALL-UNNAMED",
      "--add-modules",
      "jdk.incubator.vector",
      "-cp",
      path.join(fetchJars(), "*"),
      path.join(sources, "Node.java"),
      folder,
      String(port),
      ...ofCluster
    ],
    { stdio: ["ignore", "pipe", "pipe"] }
  )
  let output = ""
  const listen = (text: Buffer) => (output = (output + text.toString()).slice(-4_000))
  child.stdout.on("data", listen)
  child.stderr.on("data", listen)
  const end = new Promise<void>((resolve) => child.once("close", () => resolve()))
  const url = `http://127.0.0.1:${port}`
  let ended = false
  void end.then(() => (ended = true))
  while (!(await answers(url))) {
    if (ended) throw new Error(`OpenSearch ended: ${output}`)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  return { url, process: child, end }
}

const answers = (url: string): Promise<boolean> =>
  fetch(`${url}/_cluster/health?wait_for_status=yellow&timeout=1s`, {
    signal: AbortSignal.timeout(2_000)
  }).then(
    ({ ok }) => ok,
    () => false
  )

/** Ports that are free now. */
export const freePorts = async (count: number): Promise<ReadonlyArray<number>> => {
  const probes = await Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise<net.Server>((resolve) => {
          const probe = net.createServer().listen(0, "127.0.0.1", () => resolve(probe))
        })
    )
  )
  const ports = probes.map((probe) => {
    const address = probe.address()
    return typeof address === "object" && address !== null ? address.port : 0
  })
  await Promise.all(probes.map((probe) => new Promise((resolve) => probe.close(resolve))))
  return ports
}

/** Starts a cluster of nodes, each a process with a folder below `folder`. */
export const startCluster = async (
  environment: NodeJS.ProcessEnv,
  { folder, httpPorts }: { readonly folder: string; readonly httpPorts: ReadonlyArray<number> }
): Promise<ReadonlyArray<OpenSearchNode>> => {
  fetchJars()
  const transportPorts = await freePorts(httpPorts.length)
  return Promise.all(
    httpPorts.map((port, index) =>
      startNode(environment, {
        folder: path.join(folder, `node${index + 1}`),
        port,
        place: { transportPorts, at: index + 1 }
      })
    )
  )
}
