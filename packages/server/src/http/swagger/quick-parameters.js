// A plugin of Swagger UI for operations with many parameters. Its own selectors lay what is known of a value (text, errors) over
// all parameters for each single one that is drawn or sent: 24,000 times for the 155 of a list, some seconds for a click.

/** The parameter with what is known of its value; the same object while neither changes, so that it is not drawn again. */
const makeLaidOver = () => {
  const known = new WeakMap()
  return (parameter, values) => {
    const name = `${parameter.get("in")}.${parameter.get("name")}`
    const layers = [values.get(name), values.get(`${name}.hash-${parameter.hashCode()}`)]
    const before = known.get(parameter)
    if (before !== undefined && before.layers.every((layer, i) => layer === layers[i])) return before.merged
    const merged = layers.reduce(
      (lower, layer) => (layer === undefined ? lower : lower.merge(layer)),
      parameter
    )
    known.set(parameter, { layers, merged })
    return merged
  }
}

export const quickParameters = ({ Im }) => {
  const laidOver = makeLaidOver()
  const valuesOf = (state, pathMethod) =>
    state.getIn(["meta", "paths", ...pathMethod, "parameters"], Im.Map())
  const parametersOf = ({ specSelectors }, pathMethod) =>
    specSelectors.specJsonWithResolvedSubtrees().getIn(["paths", ...pathMethod, "parameters"], Im.List())
  return {
    statePlugins: {
      spec: {
        wrapSelectors: {
          parameterWithMetaByIdentity: (_, system) => (state, pathMethod, parameter) => {
            const found = parametersOf(system, pathMethod).find(
              (one) => one.get("name") === parameter.get("name") && one.get("in") === parameter.get("in")
            )
            return found === undefined ? Im.OrderedMap() : laidOver(found, valuesOf(state, pathMethod))
          },
          parameterValues: (original, system) => (state, pathMethod, isXml) => {
            // A body in XML is none of ours.
            if (isXml || pathMethod === undefined) return original(state, pathMethod, isXml)
            const values = valuesOf(state, pathMethod)
            return Im.Map(
              parametersOf(system, pathMethod).map((parameter) => {
                const value = laidOver(parameter, values).get("value")
                const sent = Im.List.isList(value) ? value.filter((one) => one !== "") : value
                return [`${parameter.get("in")}.${parameter.get("name")}`, sent]
              })
            )
          }
        }
      }
    }
  }
}
