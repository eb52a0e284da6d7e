// The answers of the writers of a crash test: what the database must contain afterwards.
import type { RecordedOperation } from "../Linearizable.ts"
import type { FinalAnswer } from "./CrashClient.ts"
import type { HttpRequest } from "../WriterFixtures.ts"

export class CrashLedger {
  // Acknowledged writes.
  readonly actions: Array<{ id: string; tag: string; receiptId: string }> = []
  readonly versions: Array<{ clientId: number; namespace: string; version: number; tag: string }> = []
  readonly messages: Array<{ id: string; sessionId: string; sequence: number; content: string }> = []
  readonly imports: Array<{ key: string; source: string; items: number; failed: number }> = []
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
