// The metrics of workers as they were last read. A sum of counters that falls is taken for one that began again at 0, and raises
// false alarms: so what a worker counted stays when it ends, or is late with its answer.
import { countedMetrics, summedMetrics } from "../metrics/SummedMetrics.ts"

export class WorkerMetrics<Worker extends object> {
  readonly #last = new Map<Worker, string>()
  #ended: string | undefined

  /** In the text format. */
  read(worker: Worker, text: string): void {
    this.#last.set(worker, text)
  }

  ended(worker: Worker): void {
    const last = this.#last.get(worker)
    if (!this.#last.delete(worker) || last === undefined) return
    const counted = countedMetrics(last)
    this.#ended = this.#ended === undefined ? counted : summedMetrics([this.#ended, counted])
  }

  get texts(): ReadonlyArray<string> {
    return this.#ended === undefined ? [...this.#last.values()] : [...this.#last.values(), this.#ended]
  }
}
