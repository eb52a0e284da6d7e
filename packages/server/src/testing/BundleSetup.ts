// Makes the bundle once before all integration tests: commands other than `serve` would run the sources.
import { bundledProgram } from "../start/Bundle.js"

/** Called by Vitest. */
export default function setup(): void {
  bundledProgram(true)
}
