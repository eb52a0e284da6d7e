// Connections on their way to a worker. node:cluster closes its own end of one when the worker has taken it; where the worker
// dies before it says so, nobody closes it and the caller waits for ever. Here they are closed, so that the caller tries again.
import type { ChildProcess } from "node:child_process"

const isObject = (message: unknown): message is object => typeof message === "object" && message !== null
const numberOf = (message: unknown, name: string): number | undefined => {
  const value: unknown = isObject(message) ? Reflect.get(message, name) : undefined
  return typeof value === "number" ? value : undefined
}

/** Watches what node:cluster says to a worker, and closes what the worker has not taken when it is gone. */
export const closeLostConnections = (worker: ChildProcess): void => {
  const waiting = new Set<number>()
  const send = worker.send.bind(worker)
  worker.send = new Proxy(send, {
    apply: (target, _, given: ReadonlyArray<unknown>) => {
      const [message] = given
      const sequence = numberOf(message, "seq")
      if (sequence !== undefined && isObject(message) && Reflect.get(message, "act") === "newconn")
        waiting.add(sequence)
      return Reflect.apply(target, worker, given)
    }
  })
  worker.on("internalMessage", (message: unknown) => {
    const sequence = numberOf(message, "ack")
    if (sequence !== undefined) waiting.delete(sequence)
  })
  const close = () => {
    // As the worker would have answered: the primary then closes its end, which is the last.
    for (const ack of waiting) worker.emit("internalMessage", { cmd: "NODE_CLUSTER", ack, accepted: true })
    waiting.clear()
  }
  // When node:cluster has heard of it, too, so that it hands nothing more to the worker. It hears of the end of the process or of
  // the channel, whichever is later; that of the channel is not always said, so it is said here.
  let isSaid = false
  worker.once("disconnect", () => {
    isSaid = true
    close()
  })
  const ended = (wasConnected: boolean) => {
    if (worker.connected) setTimeout(ended, LOOK_MILLIS, true)
    else if (wasConnected && !isSaid) worker.emit("disconnect")
    else close()
  }
  worker.once("exit", () => ended(false))
}

/** How often the channel of a worker that has ended is looked at. */
const LOOK_MILLIS = 10
