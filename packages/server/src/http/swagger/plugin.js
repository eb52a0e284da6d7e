// The plugin of Swagger UI that makes it fast enough for this API. It changes only the display: Swagger's own state stays complete.

/** Parameters of every list that are never folded (contract §1.2). */
const usual = ["filter[createdAt][gt]", "filter[createdAt][lt]", "limit", "offset", "order[createdAt]"]

const memberAt = (document, reference) =>
  reference
    .slice("#/".length)
    .split("/")
    .reduce((at, name) => at?.[name], document)

/**
 * The part at a path with every reference replaced by its target, except within a cycle. Swagger's own resolver can follow
 * references into other documents, and walks the whole document at every click.
 */
const resolved = (document, path) => {
  const known = new Map()
  const inside = new Set()
  const target = (holder) => {
    const { $ref } = holder
    if (inside.has($ref)) return holder
    if (!known.has($ref)) {
      inside.add($ref)
      // The page takes the name of a schema from `$$ref`.
      known.set($ref, { ...withoutReferences(memberAt(document, $ref)), $$ref: $ref })
      inside.delete($ref)
    }
    return known.get($ref)
  }
  const withoutReferences = (value) => {
    if (Array.isArray(value)) return value.map(withoutReferences)
    if (typeof value !== "object" || value === null) return value
    if (typeof value.$ref === "string") return target(value)
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withoutReferences(one)]))
  }
  return withoutReferences(path.reduce((at, name) => at?.[name], document))
}

/** Caches the result of `make` per object. */
const cached = (make) => {
  const known = new WeakMap()
  return (key, ...rest) => {
    if (!known.has(key)) known.set(key, make(key, ...rest))
    return known.get(key)
  }
}

/** The names of the folded parameters of an operation, in order; none if it is no list. */
const foldedNames = cached((parameters, document) => {
  const query = parameters
    .map((one) => (one.has("$ref") ? document.getIn(one.get("$ref").slice(2).split("/")) : one))
    .filter((one) => one.get("in") === "query")
  const names = query.map((one) => one.get("name"))
  return names.includes("limit") && names.includes("offset")
    ? query
        .filter((one) => !one.get("required") && !usual.includes(one.get("name")))
        .map((one) => one.get("name"))
        .toList()
    : names.clear().toList()
})

const isFilled = (value) => value !== undefined && value !== null && value !== ""

/** Swagger's own selectors merge all parameters for each one that is drawn: seconds for the 155 of a list. */
const parameterSelectors = (Im) => {
  const merged = cached(() => ({ layers: [], value: undefined }))
  const merge = (parameter, values) => {
    const name = `${parameter.get("in")}.${parameter.get("name")}`
    const layers = [values.get(name), values.get(`${name}.hash-${parameter.hashCode()}`)]
    const last = merged(parameter)
    if (last.value === undefined || last.layers.some((layer, i) => layer !== layers[i])) {
      last.layers = layers
      // An unchanged object prevents a redraw.
      last.value = layers.reduce(
        (lower, layer) => (layer === undefined ? lower : lower.merge(layer)),
        parameter
      )
    }
    return last.value
  }
  const valuesOf = (state, path) => state.getIn(["meta", "paths", ...path, "parameters"], Im.Map())
  const parametersOf = ({ specSelectors }, path) =>
    specSelectors.specJsonWithResolvedSubtrees().getIn(["paths", ...path, "parameters"], Im.List())
  return {
    parameterWithMetaByIdentity: (_, system) => (state, path, parameter) => {
      const [name, place] = [parameter.get("name"), parameter.get("in")]
      const found = parametersOf(system, path).find(
        (one) => one.get("name") === name && one.get("in") === place
      )
      return found === undefined ? Im.OrderedMap() : merge(found, valuesOf(state, path))
    },
    parameterValues: (original, system) => (state, path, isXml) => {
      if (isXml || path === undefined) return original(path, isXml)
      const values = valuesOf(state, path)
      return Im.Map(
        parametersOf(system, path).map((parameter) => {
          const value = merge(parameter, values).get("value")
          const sent = Im.List.isList(value) ? value.filter((one) => one !== "") : value
          return [`${parameter.get("in")}.${parameter.get("name")}`, sent]
        })
      )
    }
  }
}

/** Folded parameters do not send their examples: opening the fold changes no request. */
const withoutExamples = cached((selectors) => ({
  ...selectors,
  parameterWithMetaByIdentity: (...args) => selectors.parameterWithMetaByIdentity(...args)?.delete("example")
}))

const foldedRow = (Original, { React, getStore, layoutActions, layoutSelectors }) => {
  const { createElement, Fragment, useRef, useSyncExternalStore } = React

  const FoldedRow = ({ names, ...props }) => {
    const { param, pathMethod, rawParam, specSelectors } = props
    const key = ["more-filters", ...pathMethod]
    const isOpen = useSyncExternalStore(getStore().subscribe, () => layoutSelectors.isShown(key, false))
    // A filter that is sent stays visible. After its value is deleted it stays until the fold is opened and closed.
    const stays = useRef(false)
    const hasValue = isFilled((param ?? rawParam).get("value"))
    stays.current = hasValue || (stays.current && !isOpen)
    const row =
      isOpen || stays.current
        ? createElement(Original, { ...props, specSelectors: withoutExamples(specSelectors) })
        : null
    if (rawParam.get("name") !== names.first()) return row
    const values = specSelectors.parameterValues(pathMethod)
    const filled = names.count((name) => isFilled(values.get(`query.${name}`)))
    const text = `More filters (${names.size}${filled === 0 ? "" : `, ${filled} in use`})`
    const onClick = () => layoutActions.show(key, !isOpen)
    const button = createElement("button", { type: "button", "aria-expanded": isOpen, onClick }, text)
    const cell = createElement("td", { colSpan: 2 }, button)
    return createElement(Fragment, null, createElement("tr", { className: "more-filters" }, cell), row)
  }

  return function ParameterRow(props) {
    const { pathMethod, rawParam, specSelectors } = props
    const document = specSelectors.specJson()
    const parameters = document.getIn(["paths", ...pathMethod, "parameters"])
    const names = parameters && foldedNames(parameters, document)
    return rawParam.get("in") === "query" && names?.includes(rawParam.get("name"))
      ? createElement(FoldedRow, { ...props, names })
      : createElement(Original, props)
  }
}

/** Operations whose path, summary, id or tag has every word. */
const opsFilter = (tags, text) => {
  const words = text.toLowerCase().split(/\s+/u)
  const matches = (tag) => (one) => {
    const { method, operation, path } = one.toObject()
    const known = [tag, method, path, operation.get("summary"), operation.get("operationId")]
      .join(" ")
      .toLowerCase()
    return words.every((word) => known.includes(word))
  }
  return tags
    .map((tag, name) => tag.update("operations", (all) => all.filter(matches(name))))
    .filter((tag) => tag.get("operations").size > 0)
}

const searchBox = ({ React }) =>
  function FilterContainer({ layoutActions, layoutSelectors }) {
    const text = layoutSelectors.currentFilter()
    return React.createElement("input", {
      id: "search",
      type: "search",
      "aria-label": "Search operations",
      placeholder: "Search operations: path, title or tag",
      value: typeof text === "string" ? text : "",
      onChange: ({ target }) => layoutActions.updateFilter(target.value)
    })
  }

const SEARCH_LETTERS_MIN = 3
/** A search opens its tags. */
const isShown = (original, system) => (_, thing, byDefault) => {
  const text = system.layoutSelectors.currentFilter()
  const isSearch = typeof text === "string" && text.length >= SEARCH_LETTERS_MIN
  return (isSearch && thing[0] === "operations-tag") || original(thing, byDefault)
}

export const rapportPlugin = (system) => ({
  fn: {
    opsFilter,
    resolveSubtree: async (document, path) => ({ errors: [], spec: resolved(document, path) })
  },
  statePlugins: {
    spec: { wrapSelectors: parameterSelectors(system.Im) },
    layout: { wrapSelectors: { isShown } }
  },
  components: { FilterContainer: searchBox(system) },
  wrapComponents: {
    parameterRow: foldedRow,
    // There is only one server, so the selector is hidden.
    ServersContainer: () => () => null,
    // A link within the button of an operation is unreachable by keyboard.
    DeepLink:
      (_, { React }) =>
      ({ text }) =>
        React.createElement("span", null, text)
  }
})
