// What a start leaves behind. V8 keeps the space that it took for young objects, and collects what is old once it needs the
// memory: a service at rest would hold both for minutes. Nothing waits for a service that is not ready yet.

/** Collects everything, where Node was started with `--expose-gc`, as `pnpm start` and the image do. */
export const collectGarbage = (): void => {
  globalThis.gc?.({ type: "major", execution: "sync", flavor: "last-resort" })
}
