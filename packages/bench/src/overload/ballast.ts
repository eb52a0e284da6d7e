// Takes a share of one processor for so many seconds: what the larger load takes for itself, where the smaller one is measured.
// Arguments: share (0–1), seconds.
import { setTimeout } from "node:timers/promises"

const [share = 0, seconds = 0] = process.argv.slice(2).map(Number)
const SLICE_MILLIS = 10

const cpuMillis = () => {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1_000
}
const start = performance.now()
const taken = cpuMillis()
while (performance.now() - start < seconds * 1_000) {
  // As processor time, so that on a busy machine it gets less, as the load does.
  const due = (performance.now() - start) * share
  const until = performance.now() + SLICE_MILLIS
  while (cpuMillis() - taken < due && performance.now() < until);
  await setTimeout(SLICE_MILLIS / 5)
}
