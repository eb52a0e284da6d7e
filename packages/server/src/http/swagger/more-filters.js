// A plugin of Swagger UI that folds the parameters of a list: the five that everybody uses stay, some hundred others wait
// behind one button. Only what is drawn changes; values live in Swagger's own state and are sent from there.

/** What everybody asks of a list (docs/contract.md §1.2): never folded. */
const usual = new Set([
  "filter[createdAt][gt]",
  "filter[createdAt][lt]",
  "limit",
  "offset",
  "order[createdAt]"
])

const isFolded = (parameter) =>
  parameter.get("in") === "query" && !parameter.get("required") && !usual.has(parameter.get("name"))

/** A parameter that several operations have is among the components, and only referred to. */
const inPlace = (document) => (parameter) => {
  const reference = parameter.get("$ref")
  return reference === undefined ? parameter : document.getIn(reference.slice(2).split("/"))
}

/** Of one operation: what its button stands before, and how many it folds; undefined where it is no list. */
const foldOf = (parameters) => {
  const queried = parameters.filter((parameter) => parameter.get("in") === "query")
  const names = queried.map((parameter) => parameter.get("name"))
  if (!names.includes("limit") || !names.includes("offset")) return undefined
  const folded = queried.filter(isFolded).map((parameter) => parameter.get("name"))
  return { first: folded.first(), names: folded.toSet() }
}

/** Kept beside React, so that a fold stays as it was when its operation is drawn anew. */
const makeFolds = () => {
  const toggles = new Map()
  const listeners = new Set()
  const known = new WeakMap()
  return {
    /** How often it was toggled: odd is open. */
    togglesOf: (key) => toggles.get(key) ?? 0,
    toggle: (key) => {
      toggles.set(key, (toggles.get(key) ?? 0) + 1)
      for (const listener of listeners) listener()
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    of: (document, pathMethod) => {
      const parameters = document.getIn(["paths", ...pathMethod, "parameters"])
      if (parameters === undefined) return undefined
      if (!known.has(parameters)) known.set(parameters, foldOf(parameters.map(inPlace(document))))
      return known.get(parameters)
    }
  }
}

const isFilled = (value) => value !== undefined && value !== null && value !== ""

/** Examples fill the fields of the five; in the fold they are shown and not sent: who opens it changes nothing. */
const withoutExamples = () => {
  const made = new WeakMap()
  return (selectors) => {
    if (!made.has(selectors))
      made.set(selectors, {
        ...selectors,
        parameterWithMetaByIdentity: (...args) =>
          selectors.parameterWithMetaByIdentity(...args)?.delete("example")
      })
    return made.get(selectors)
  }
}

export const moreFilters = () => {
  const folds = makeFolds()
  const unfilled = withoutExamples()
  return {
    wrapComponents: {
      parameterRow: (Original, { React }) => {
        const { createElement, Fragment, useRef, useSyncExternalStore } = React

        const Button = ({ count, filled, isOpen, onClick }) =>
          createElement(
            "tr",
            { className: "more-filters" },
            createElement(
              "td",
              { colSpan: 2 },
              createElement(
                "button",
                { type: "button", "aria-expanded": isOpen, onClick },
                `More filters (${count}${filled === 0 ? "" : `, ${filled} in use`})`
              )
            )
          )

        const FoldedRow = ({ fold, ...props }) => {
          const { param, pathMethod, rawParam, specSelectors } = props
          const key = pathMethod.join(" ")
          const toggles = useSyncExternalStore(folds.subscribe, () => folds.togglesOf(key))
          const isOpen = toggles % 2 === 1
          // A filter that is sent is seen; emptied, it stays under the writer's hands until the next toggle.
          const seenAt = useRef(-1)
          if (isFilled((param ?? rawParam).get("value"))) seenAt.current = toggles
          const row =
            isOpen || seenAt.current === toggles
              ? createElement(Original, { ...props, specSelectors: unfilled(specSelectors) })
              : null
          if (rawParam.get("name") !== fold.first) return row
          const values = specSelectors.parameterValues(pathMethod)
          const filled = fold.names.count((name) => isFilled(values.get(`query.${name}`)))
          const onClick = () => folds.toggle(key)
          return createElement(
            Fragment,
            null,
            createElement(Button, { count: fold.names.size, filled, isOpen, onClick }),
            row
          )
        }

        return function ParameterRow(props) {
          const { pathMethod, rawParam, specSelectors } = props
          const fold = folds.of(specSelectors.specJson(), pathMethod)
          return fold !== undefined && isFolded(rawParam)
            ? createElement(FoldedRow, { ...props, fold })
            : createElement(Original, props)
        }
      }
    }
  }
}
