// CPU time of processes as Linux counts it, so that other load on the machine does not change a figure.
import * as fs from "node:fs"

const TICKS_PER_SECOND = 100

/** Fields of /proc/PID/stat behind the name, which may hold spaces. */
const fieldsOf = (file: string): ReadonlyArray<string> => {
  try {
    const text = fs.readFileSync(file, "utf8")
    return text.slice(text.lastIndexOf(")") + 2).split(" ")
  } catch {
    return []
  }
}
const PARENT = 1
/** The times in user and system mode, of the task itself and of its ended children. */
const OWN = [11, 12]
const OF_CHILDREN = [13, 14]

const seconds = (fields: ReadonlyArray<string>, places = OWN): number =>
  places.reduce((sum, at) => sum + Number(fields[at] ?? 0), 0) / TICKS_PER_SECOND

/** Seconds of the main thread, and of the whole process. */
export const processCpu = (pid: number) => ({
  main: seconds(fieldsOf(`/proc/${pid}/task/${pid}/stat`)),
  process: seconds(fieldsOf(`/proc/${pid}/stat`))
})

/** Seconds of the threads of a process whose names match. */
export const threadsCpu = (pid: number, name: RegExp): number =>
  fs
    .readdirSync(`/proc/${pid}/task`)
    .map((id) => `/proc/${pid}/task/${id}`)
    .filter((task) => name.test(fs.readFileSync(`${task}/comm`, "utf8").trim()))
    .reduce((sum, task) => sum + seconds(fieldsOf(`${task}/stat`)), 0)

/** Seconds of a process and of all its children, including those that ended. The pid of PostgreSQL is its postmaster's. */
export const familyCpu = (pid: number): number =>
  fs
    .readdirSync("/proc")
    .filter((name) => /^\d+$/u.test(name))
    .map((name) => fieldsOf(`/proc/${name}/stat`))
    .filter((fields) => fields[PARENT] === String(pid))
    .reduce(
      (sum, fields) => sum + seconds(fields),
      seconds(fieldsOf(`/proc/${pid}/stat`), [...OWN, ...OF_CHILDREN])
    )

/** Resident memory, in MiB. */
export const residentMiB = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+)/mu.exec(fs.readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1_024
