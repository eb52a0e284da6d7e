// CPU time of a test's PostgreSQL: on a busy machine it says more than time.
import * as fs from "node:fs"
import * as path from "node:path"

/**
 * Reads the CPU time in milliseconds of the running cluster whose data is in the folder, ended processes included; undefined
 * where the system does not show it.
 */
export const processorTimeIn = (folder: string): (() => number | undefined) => {
  const server = fs.readFileSync(path.join(folder, "postmaster.pid"), "utf8").split("\n")[0] ?? ""
  return () => {
    if (process.platform !== "linux") return undefined
    const ticks = fs.readdirSync("/proc").reduce((sum, pid) => {
      if (!/^\d+$/u.test(pid)) return sum
      try {
        const fields = fs
          .readFileSync(`/proc/${pid}/stat`, "utf8")
          .replace(/^.*\) /u, "")
          .split(" ")
        const own = Number(fields[11]) + Number(fields[12])
        if (pid === server) return sum + Number(fields[13]) + Number(fields[14])
        return fields[1] === server ? sum + own : sum
      } catch {
        return sum
      }
    }, 0)
    return ticks * 10
  }
}
