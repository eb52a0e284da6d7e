// How slow this machine is just now: on a crowded one the processor time of the same work doubles, too.

/** What the work below took where the bounds of processor time were set, in milliseconds of the processor. */
const WORK_MILLIS = 100

/** How many times as long known work takes as it should, 1 at least: for bounds of processor time. */
export const machineSlowness = (): number => {
  const begun = process.threadCpuUsage()
  for (let round = 0; round < 200; round++) {
    const rows = Array.from({ length: 1_000 }, (_, id) => ({ id, name: `name ${id}` }))
    const read: unknown = JSON.parse(JSON.stringify(rows))
    if (!Array.isArray(read) || read.length !== rows.length)
      throw new Error("JSON is not read as it was written")
  }
  const { system, user } = process.threadCpuUsage(begun)
  return Math.max(1, (user + system) / 1_000 / WORK_MILLIS)
}
