// The bundle that tests start, made once before them: commands other than `serve` do not make it, and would run the sources.
import { bundledProgram } from "../start/Bundle.js"

/** Vitest calls it before the tests of a project. */
export default function setup(): void {
  bundledProgram(true)
}
