// A timer that does not keep its process alive.

/** Runs it later; the result does so no more. */
export const after = (millis: number, run: () => void): (() => void) => {
  const timer = setTimeout(run, millis).unref()
  return () => clearTimeout(timer)
}
