// Vitest 5 no longer reads vitest.workspace.ts by itself, so this file hands it over.
import { defineConfig } from "vitest/config"
import projects from "./vitest.workspace.ts"

export default defineConfig({ test: { projects, passWithNoTests: true, pool: "threads" } })
