// JSON merge patch, RFC 7396: null removes a member, objects merge, everything else replaces.
import { Predicate } from "effect"

type Members = Readonly<Record<string, unknown>>

/** Returns the patched target; both arguments are unchanged. Names such as `__proto__` are ordinary names. */
export const mergePatch = (target: Members | null, patch: Members): Members => {
  const merged = new Map(Object.entries(target ?? {}))
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name)
    else if (Predicate.isReadonlyObject(value)) {
      const present = merged.get(name)
      merged.set(name, mergePatch(Predicate.isReadonlyObject(present) ? present : null, value))
    } else merged.set(name, value)
  }
  return Object.fromEntries(merged)
}
