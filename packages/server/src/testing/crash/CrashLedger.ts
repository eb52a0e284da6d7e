// The answers of the writers of a crash test: what the database must contain afterwards.
import type { RecordedOperation } from "../Linearizable.ts"
import type { FinalAnswer } from "./CrashClient.ts"
import type { HttpRequest } from "../WriterFixtures.ts"

export interface AcknowledgedAction {
  readonly id: string
  readonly tag: string
  readonly receiptId: string
}
export interface AcknowledgedVersion {
  readonly clientId: number
  readonly namespace: string
  readonly version: number
  readonly tag: string
}
export interface AcknowledgedMessage {
  readonly id: string
  readonly sessionId: string
  readonly sequence: number
  readonly content: string
}
export interface AcknowledgedImport {
  readonly key: string
  readonly source: string
  readonly kinds: ReadonlyArray<string>
  readonly failed: number
}

export class CrashLedger {
  readonly actions: Array<AcknowledgedAction> = []
  readonly versions: Array<AcknowledgedVersion> = []
  readonly messages: Array<AcknowledgedMessage> = []
  readonly imports: Array<AcknowledgedImport> = []
  /** Keys of commands that succeeded, and keys of commands that were refused. */
  readonly kept = new Set<string>()
  readonly refused = new Set<string>()
  /** Opened sessions with the last answer about each. */
  readonly sessions = new Map<string, { closed: boolean; contexts: number }>()
  /** Histories of compare-and-set by register. */
  readonly histories = new Map<string, Array<RecordedOperation>>()
  /** Answers that the contract does not allow. */
  readonly faults: Array<string> = []
  readonly replayable: Array<{ readonly sent: HttpRequest; readonly answer: string }> = []
  attempts = 0
  commands = 0

  /** Counts the command and keeps its key; an unexpected status is a fault. */
  note(sent: HttpRequest, got: FinalAnswer, expected: ReadonlyArray<string>): void {
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

  record(register: string, operation: RecordedOperation): void {
    const history = this.histories.get(register) ?? []
    history.push(operation)
    this.histories.set(register, history)
  }
}

/** An answer without the member that differs in a replay. */
export const comparable = (text: string): string => text.replace(/"replayed":(?:true|false),?/u, "")
