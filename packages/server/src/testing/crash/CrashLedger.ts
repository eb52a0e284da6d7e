// The answers that the writers of a crash test got: all that must be true of the database afterwards, and nothing else may be.
import type { Recorded } from "../Linearizable.ts"
import type { Settled } from "./CrashClient.ts"
import type { Sent } from "../WriterFixtures.ts"

export interface ActionTold {
  readonly id: string
  readonly tag: string
  readonly receiptId: string
}
export interface VersionTold {
  readonly clientId: number
  readonly namespace: string
  readonly version: number
  readonly tag: string
}
export interface MessageTold {
  readonly id: string
  readonly sessionId: string
  readonly sequence: number
  readonly content: string
}
export interface ImportTold {
  readonly key: string
  readonly source: string
  readonly kinds: ReadonlyArray<string>
  readonly failed: number
}

export class CrashLedger {
  readonly actions: Array<ActionTold> = []
  readonly versions: Array<VersionTold> = []
  readonly messages: Array<MessageTold> = []
  readonly imports: Array<ImportTold> = []
  /** Keys whose command took effect or was found done, and keys of commands that were refused. */
  readonly kept = new Set<string>()
  readonly refused = new Set<string>()
  /** Sessions that were opened, and the last answer about each. */
  readonly sessions = new Map<string, { closed: boolean; contexts: number }>()
  /** Histories of compare-and-set, one a register. */
  readonly histories = new Map<string, Array<Recorded>>()
  /** Answers that no contract allows. */
  readonly faults: Array<string> = []
  readonly replayable: Array<{ readonly sent: Sent; readonly answer: string }> = []
  attempts = 0
  commands = 0

  /** Counts the command and keeps its key; an unexpected status is a fault. */
  note(sent: Sent, got: Settled, expected: ReadonlyArray<string>): void {
    this.attempts += got.attempts
    this.commands++
    const outcome = got.code === undefined ? String(got.status) : `${got.status} ${got.code}`
    if (!expected.includes(outcome)) this.faults.push(`${sent.method ?? "POST"} ${sent.path}: ${got.text}`)
    if (sent.key === undefined) return
    if (got.status < 400) {
      this.kept.add(sent.key)
      this.replayable.push({ sent, answer: comparable(got.text) })
    } else this.refused.add(sent.key)
  }

  record(register: string, operation: Recorded): void {
    const history = this.histories.get(register) ?? []
    history.push(operation)
    this.histories.set(register, history)
  }
}

/** An answer without what may differ between the first time and the next. */
export const comparable = (text: string): string => text.replace(/"replayed":(?:true|false),?/u, "")
