// Learns the smallest table of endings that gives each form its label: node learn.ts EXAMPLES.tsv TABLE.json
// A rule: an ending (with ^ before it: the whole word), how many letters to cut, what to add. The longest ending decides. A
// rule is kept where the weight of the forms that it puts right exceeds its price.
import { readFileSync, writeFileSync } from "node:fs"

const RULE_PRICE = 1
const FORM_LETTERS_MAX = 40
/** What a form weighs: more for a frequent one, but not in proportion. */
const weightOf = (frequency: number): number => 0.05 + Math.sqrt(frequency)

// As packages/core/src/search/text/Stems.ts reads the table.
const LOOSE: Readonly<Record<string, string>> = { ґ: "г", й: "и", ї: "і", є: "е", ъ: "" }
const UNIFIED: Readonly<Record<string, string>> = { і: "и", ї: "и", є: "е", ы: "и", э: "е" }
const loosened = (word: string): string => word.replace(/[ґйїєъ]/gu, (letter) => LOOSE[letter] ?? letter)
const isLong = (stem: string): boolean => stem.replace(/\d/gu, "").length >= 5
const unified = (stem: string): string => stem.replace(/[іїєыэ]/gu, (letter) => UNIFIED[letter] ?? letter)
const finished = (stem: string): string => {
  const bare = stem.replace(/[ьъ]/gu, "")
  return isLong(bare) ? unified(bare) : bare
}

const reversed = (text: string): string => Array.from(text).toReversed().join("")

interface Operation {
  readonly cut: number
  readonly add: string
}

/** A form as the tree is built of it. */
interface Example {
  /** From the last letter on, ^ at the end. */
  readonly key: string
  readonly operation: number
  readonly weight: number
}

interface Node {
  /** What the forms below cost under an inherited operation, where that is less than `otherwise`. */
  readonly costs: ReadonlyMap<number, number>
  readonly otherwise: number
  /** The operation that a rule here would have. */
  readonly rule: number
  readonly children: ReadonlyArray<Node>
  readonly ending: string
}

const [input = "", output = ""] = process.argv.slice(2)
const operations: Array<Operation> = []
const operationIds = new Map<string, number>()

/** The commonest label of each form; of the forms that the table writes alike the commonest counts. */
const labelsIn = (text: string): ReadonlyMap<string, readonly [label: string, frequency: number]> => {
  const labels = new Map<string, readonly [string, number]>()
  for (const line of text.split("\n")) {
    const [form, given, frequency] = line.split("\t")
    if (form === undefined || given === undefined || form.length > FORM_LETTERS_MAX) continue
    if (!/^[а-яіїєъыэё]+$/u.test(form)) continue
    const word = loosened(form)
    const mark = /\d*$/u.exec(given)?.[0] ?? ""
    const label = finished(loosened(given.slice(0, given.length - mark.length))) + mark
    const known = labels.get(word)
    if (known === undefined || known[1] < Number(frequency)) labels.set(word, [label, Number(frequency)])
  }
  return labels
}

/** The fewest letters to cut and what to add then. */
const operationOf = (word: string, label: string): Operation => {
  const long = isLong(label)
  for (let cut = 0; cut <= word.length; cut++) {
    const kept = word.slice(0, word.length - cut).replace(/[ьъ]/gu, "")
    const shown = long ? unified(kept) : kept
    if (label.startsWith(shown)) return { cut, add: label.slice(shown.length) }
  }
  return { cut: word.length, add: label }
}

const idOf = (operation: Operation): number => {
  const key = `${operation.cut} ${operation.add}`
  const known = operationIds.get(key)
  if (known !== undefined) return known
  operationIds.set(key, operations.length)
  return operations.push(operation) - 1
}

const examples: Array<Example> = []
for (const [word, [label, frequency]] of labelsIn(readFileSync(input, "utf8"))) {
  const operation = operationOf(word, label)
  if (finished(word.slice(0, word.length - operation.cut) + operation.add) !== label) continue
  const key = reversed(`^${word}`)
  examples.push({ key, operation: idOf(operation), weight: weightOf(frequency) })
}
examples.sort((a, b) => (a.key < b.key ? -1 : 1))

const solve = (from: number, to: number, depth: number): Node => {
  const first = examples[from]
  if (first === undefined) throw new Error("no examples")
  const ending = reversed(first.key.slice(0, depth))
  let pure = true
  let weight = 0
  for (let at = from; at < to; at++) {
    weight += examples[at]?.weight ?? 0
    if (examples[at]?.operation !== first.operation) pure = false
  }
  if (pure) {
    const costs = new Map([[first.operation, 0]])
    const otherwise = Math.min(weight, RULE_PRICE)
    // What cuts a whole word is no ending of others: the table has to name that word.
    const isWhole = to === from + 1 && operations[first.operation]?.cut === first.key.length - 1
    const rule = { rule: first.operation, ending: isWhole ? reversed(first.key) : ending }
    return { costs, otherwise, children: [], ...rule }
  }
  const children: Array<Node> = []
  for (let at = from; at < to;) {
    const letter = examples[at]?.key.charCodeAt(depth)
    const start = at
    while (at < to && examples[at]?.key.charCodeAt(depth) === letter) at++
    children.push(solve(start, at, depth + 1))
  }
  return { ...priced(children), children, ending }
}

const priced = (children: ReadonlyArray<Node>): Pick<Node, "costs" | "otherwise" | "rule"> => {
  const other = children.reduce((sum, child) => sum + child.otherwise, 0)
  const sums = new Map<number, number>()
  let best = Infinity
  let rule = -1
  for (const operation of new Set(children.flatMap(({ costs }) => [...costs.keys()]))) {
    let sum = other
    for (const { costs, otherwise } of children) {
      const cost = costs.get(operation)
      if (cost !== undefined) sum += cost - otherwise
    }
    sums.set(operation, sum)
    if (sum < best) [best, rule] = [sum, operation]
  }
  const otherwise = Math.min(other, best + RULE_PRICE)
  return { costs: new Map([...sums].filter(([, sum]) => sum < otherwise - 1e-12)), otherwise, rule }
}

const rules: Array<readonly [ending: string, operation: number]> = []
const trace = (node: Node, inherited: number): void => {
  if (node.children.length === 0) {
    if (inherited !== node.rule && node.otherwise >= RULE_PRICE - 1e-12) rules.push([node.ending, node.rule])
    return
  }
  const cost = node.costs.get(inherited) ?? node.otherwise
  const without = node.children.reduce(
    (sum, child) => sum + (child.costs.get(inherited) ?? child.otherwise),
    0
  )
  const isRule = without > cost + 1e-9
  if (isRule) rules.push([node.ending, node.rule])
  for (const child of node.children) trace(child, isRule ? node.rule : inherited)
}

const root = solve(0, examples.length, 0)
rules.push(["", root.rule])
for (const child of root.children) trace(child, root.rule)

// Each ending after one digit of base 36: how many of its last letters are those of the ending before it.
const SHARED_MAX = 35
const shortened = (endings: ReadonlyArray<string>): string => {
  let before = ""
  let text = ""
  for (const letters of endings.map(reversed).toSorted((a, b) => (a < b ? -1 : 1))) {
    let shared = 0
    while (shared < SHARED_MAX && shared < letters.length && letters[shared] === before[shared]) shared++
    text += shared.toString(36) + reversed(letters.slice(shared))
    before = letters
  }
  return text
}

const byOperation = new Map<number, Array<string>>()
for (const [ending, operation] of rules) {
  const endings = byOperation.get(operation)
  if (endings === undefined) byOperation.set(operation, [ending])
  else endings.push(ending)
}
const lines = [...byOperation]
  .toSorted(([, a], [, b]) => b.length - a.length)
  .map(([at, endings]) => {
    const { add, cut } = operations[at] ?? { add: "", cut: 0 }
    return `  ${JSON.stringify(`${cut} ${add} ${shortened(endings)}`)}`
  })
const table = `[\n${lines.join(",\n")}\n]\n`
writeFileSync(output, table)
console.error(`${rules.length} rules of ${examples.length} forms, ${Buffer.byteLength(table)} bytes`)
