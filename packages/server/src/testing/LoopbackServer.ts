// Servers of tests on a free port of loopback.
import { Effect } from "effect"
import type * as net from "node:net"

/** Starts a server, which is closed with the scope. Returns its port. */
export const listenOnLoopback = (server: net.Server & { readonly closeAllConnections?: () => void }) =>
  Effect.acquireRelease(
    Effect.callback<number>((resume) => {
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0))
      })
    }),
    () =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections?.()
      })
  )
