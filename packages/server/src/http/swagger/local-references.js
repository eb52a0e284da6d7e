// A plugin of Swagger UI that resolves the references of what is opened, and nothing else. Its own resolver can read documents
// that lead elsewhere; for that it goes over the whole document at every click, which takes seconds where there are many operations.
// Ours refers to its own components only.

const isObject = (value) => typeof value === "object" && value !== null

const memberOf = (document, reference) =>
  reference
    .slice("#/".length)
    .split("/")
    .reduce((at, name) => at?.[name], document)

/** The part at a path with every reference replaced by what it refers to; within a cycle it stays a reference. */
const resolved = (document, path) => {
  const known = new Map()
  const inside = new Set()
  const withoutReferences = (value) => {
    if (Array.isArray(value)) return value.map(withoutReferences)
    if (!isObject(value)) return value
    if (typeof value.$ref === "string") return target(value)
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, withoutReferences(member)])
    )
  }
  const target = (holder) => {
    const { $ref } = holder
    if (inside.has($ref)) return holder
    if (!known.has($ref)) {
      inside.add($ref)
      // The page takes the name of a schema from here.
      known.set($ref, { ...withoutReferences(memberOf(document, $ref)), $$ref: $ref })
      inside.delete($ref)
    }
    return known.get($ref)
  }
  return withoutReferences(path.reduce((at, name) => at?.[name], document))
}

export const localReferences = () => ({
  fn: { resolveSubtree: async (document, path) => ({ errors: [], spec: resolved(document, path) }) }
})
