// Functions that are computed once for each argument.

/** The same function, which calls `compute` once for each key. It keeps all keys and values. */
export const memoize = <Key, Value>(compute: (key: Key) => Value): ((key: Key) => Value) => {
  const known = new Map<Key, Value>()
  return (key) => {
    const before = known.get(key)
    if (before !== undefined) return before
    const value = compute(key)
    known.set(key, value)
    return value
  }
}
