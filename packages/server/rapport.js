#!/usr/bin/env node
// The way in for any Node: one that cannot run TypeScript says in one line what can. Plain JavaScript, without imports
// before the check, so that an old Node reads it.
const NODE_MAJOR_MIN = 24

if (Number.parseInt(process.versions.node, 10) < NODE_MAJOR_MIN) {
  process.stderr.write(
    `rapport: needs Node ${NODE_MAJOR_MIN}, this is ${process.versions.node}. ` +
      "Run: npx -y pnpm@12 start (or rapport <command>), which brings its own\n"
  )
  process.exitCode = 1
} else {
  await import("./src/main.ts")
}
