// Vitest 5 no longer reads vitest.workspace.ts by itself, so this file hands it over.
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import projects, { longest } from "./vitest.workspace.ts"

const rankOf = ({ moduleId }: TestSpecification): number => {
  const at = longest.findIndex((name) => moduleId.endsWith(`/${name}.int.test.ts`))
  return at === -1 ? longest.length : at
}

/** A long file that begins last is waited for alone, and a checkout that has not run yet knows only sizes of files. */
class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    // oxlint-disable-next-line unicorn/no-array-sort -- not an array's
    const sorted = await super.sort(files)
    return sorted.toSorted((a, b) => rankOf(a) - rankOf(b))
  }
}

export default defineConfig({
  test: { projects, passWithNoTests: true, pool: "threads", sequence: { sequencer: LongestFirst } }
})
