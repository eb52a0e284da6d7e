// Nodes as calls read them lately, so that the next call of one makes its text without asking first. What is written asks whether
// the node is still so, and a call that finds it changed reads it again.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { CalledNode, CallTarget } from "@rapport/core/scenarios/CallStore.ts"

/** Templates have 10,000 characters at most. */
const NODES_REMEMBERED_MAX = 1_000

export class RememberedNodes {
  readonly #nodes = new Map<string, CalledNode>()

  find(session: AuthorizedSession, target: CallTarget): CalledNode | undefined {
    return this.#nodes.get(keyOf(session, target))
  }

  /** Undefined: there is none. */
  keep(session: AuthorizedSession, target: CallTarget, found: CalledNode | undefined): void {
    const key = keyOf(session, target)
    this.#nodes.delete(key)
    if (found === undefined) return
    const [oldest] = this.#nodes.keys()
    if (this.#nodes.size >= NODES_REMEMBERED_MAX && oldest !== undefined) this.#nodes.delete(oldest)
    this.#nodes.set(key, { nodeId: found.nodeId, template: found.template })
  }
}

const keyOf = ({ instanceId }: AuthorizedSession, { botId, node }: CallTarget): string =>
  JSON.stringify([instanceId, botId, node])
