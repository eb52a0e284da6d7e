// Collects the garbage of the start, which V8 would keep for minutes.

/** Needs `--expose-gc`, as `pnpm start` and the image set it. The index thread calls it, too: IndexThread.js. */
export const collectGarbage = (): void =>
  globalThis.gc?.({ type: "major", execution: "sync", flavor: "last-resort" })
