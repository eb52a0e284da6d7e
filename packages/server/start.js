#!/usr/bin/env node
// The way in of `pnpm start`: runs the bundle of these sources, which takes a third of the time and half of the memory. It is
// made here where it is missing; where it cannot be made the sources run, by rapport.js.
const NODE_MAJOR_MIN = 24

const bundled = async () => {
  if (Number.parseInt(process.versions.node, 10) < NODE_MAJOR_MIN) return undefined
  const { bundledProgram } = await import("./src/start/Bundle.js")
  return bundledProgram(process.argv[2] === "serve")
}

await import((await bundled()) ?? "./rapport.js")
