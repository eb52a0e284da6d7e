// The faults of a value, as many as an answer shows and no more: what a caller sends decides how much is wrong with it,
// not how long it is examined (contract §1.1, §12).
import { Predicate, Result, Schema, SchemaAST } from "effect"
import { VIOLATIONS_MAX } from "../Limits.ts"
import { type Fault, faultsOf, strict } from "./Faults.ts"

/**
 * What `schema` refuses of `value`, in the order of its members: the first `faultsMax` faults. The framework collects every
 * fault of a value before anybody can count them, so objects and arrays are walked here, the length of an array is judged
 * before its items, and only what holds no further value is decoded.
 */
export const collectFaults = (
  schema: Schema.Constraint,
  value: unknown,
  faultsMax: number = VIOLATIONS_MAX
): ReadonlyArray<Fault> => {
  const collector = new FaultCollector(faultsMax, joined)
  collector.judge(schema.ast, value, "")
  return collector.found
}

/** The same of parameters of a path, query string or header: each is named whole, whatever of it is wrong. */
export const collectParameterFaults = (
  schema: Schema.Constraint,
  parameters: Readonly<Record<string, unknown>>
): ReadonlyArray<Fault> => {
  const collector = new FaultCollector(VIOLATIONS_MAX, (name, rest) => (name === "" ? rest : name))
  collector.judge(schema.ast, parameters, "")
  return collector.found
}

/** What is said of a member that the schema does not know. */
export const isUnknown = "is unknown"

/** `scope.id`, `sections[1]`; a member of the root has no prefix. */
const memberPath = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`)
const joined = (path: string, rest: string): string =>
  path === "" || rest === "" || rest.startsWith("[") ? path + rest : `${path}.${rest}`

/** Whether a check counts the members of an array or object alone: it is checked before they are examined. */
const isLengthCheck = ({ annotations }: SchemaAST.Check<unknown>): boolean => {
  const representation: unknown = annotations?.["representation"]
  return Predicate.isReadonlyObject(representation) && lengthChecks.includes(String(representation["id"]))
}
const lengthChecks = ["isMaxLength", "isMinLength", "isMaxProperties"].map((name) => `effect/schema/${name}`)

const ofShape = (path: string, message: string): Fault => ({ path, message, isOverBudget: false })

class FaultCollector {
  readonly found: Array<Fault> = []
  private readonly paths = new Set<string>()
  private readonly faultsMax: number

  /** The path of a fault within the value at another path. */
  private readonly pathWithin: (path: string, rest: string) => string

  constructor(faultsMax: number, pathWithin: (path: string, rest: string) => string) {
    this.faultsMax = faultsMax
    this.pathWithin = pathWithin
  }

  private get isFull(): boolean {
    return this.found.length >= this.faultsMax
  }

  /** Two checks that fail on one value are one fault. */
  private add(fault: Fault) {
    if (this.isFull || this.paths.has(fault.path)) return
    this.paths.add(fault.path)
    this.found.push(fault)
  }

  judge(ast: SchemaAST.AST, value: unknown, path: string): void {
    if (this.isFull) return
    if (ast.encoding === undefined) {
      if (SchemaAST.isSuspend(ast)) return this.judge(ast.thunk(), value, path)
      if (SchemaAST.isObjects(ast) && Predicate.isReadonlyObject(value))
        return this.judgeObject(ast, value, path)
      if (SchemaAST.isArrays(ast) && Array.isArray(value) && ast.elements.length === 0)
        return this.judgeArray(ast, value, path)
      if (SchemaAST.isUnion(ast)) {
        const holder = holderOf(ast, value)
        if (holder !== undefined && ast.checks === undefined) return this.judge(holder, value, path)
      }
    }
    const sent = sentArrayOf(ast)
    if (sent !== undefined && Array.isArray(value)) {
      const before = this.found.length
      this.judgeArray(sent, value, path)
      if (this.found.length > before) return
    }
    this.decode(ast, value, path)
  }

  /** The framework's judgement of a value, which is small or whose parts were found right before. */
  private decode(ast: SchemaAST.AST, value: unknown, path: string): void {
    const decode = Schema.decodeUnknownResult(Schema.make<Schema.Codec<unknown>>(ast), strict)
    const result = decode(value)
    if (Result.isSuccess(result)) return
    for (const fault of faultsOf(result.failure.issue))
      this.add({ ...fault, path: this.pathWithin(path, fault.path) })
  }

  private judgeObject(ast: SchemaAST.Objects, value: Readonly<Record<string, unknown>>, path: string): void {
    const before = this.found.length
    if (this.judgeLength(ast, value, path)) return
    const known = new Set(ast.propertySignatures.map(({ name }) => name))
    for (const name of Object.keys(value)) {
      if (this.isFull) return
      if (known.has(name)) continue
      if (ast.indexSignatures.length === 0) this.add(ofShape(memberPath(path, name), isUnknown))
      for (const { parameter, type } of ast.indexSignatures) {
        this.decode(parameter, name, memberPath(path, name))
        this.judge(type, value[name], memberPath(path, name))
      }
    }
    for (const { name, type } of ast.propertySignatures) {
      const memberName = String(name)
      if (Object.hasOwn(value, name)) this.judge(type, value[memberName], memberPath(path, memberName))
      else if (!SchemaAST.isOptional(SchemaAST.toEncoded(type)))
        this.add(ofShape(memberPath(path, memberName), "is required"))
    }
    this.judgeChecks(ast, value, path, before)
  }

  private judgeArray(ast: SchemaAST.Arrays, value: ReadonlyArray<unknown>, path: string): void {
    const before = this.found.length
    const [item] = ast.rest
    if (this.judgeLength(ast, value, path)) return
    if (item !== undefined)
      for (let i = 0; i < value.length && !this.isFull; i++) this.judge(item, value[i], `${path}[${i}]`)
    this.judgeChecks(ast, value, path, before)
  }

  /** Whether the number of members is wrong, which is then the one fault of the value. */
  private judgeLength(ast: SchemaAST.AST, value: unknown, path: string): boolean {
    const before = this.found.length
    const [first, ...others] = (ast.checks ?? []).filter(isLengthCheck)
    if (first !== undefined) this.decode(Schema.Unknown.check(first, ...others).ast, value, path)
    return this.found.length > before
  }

  /** Checks of the whole value, which only one whose members are right can pass. */
  private judgeChecks(ast: SchemaAST.AST, value: unknown, path: string, before: number) {
    const isChecked = (ast.checks ?? []).some((check) => !isLengthCheck(check))
    if (isChecked && this.found.length === before) this.decode(ast, value, path)
  }
}

/** The array from which a value is decoded. */
const sentArrayOf = ({ encoding }: SchemaAST.AST): SchemaAST.Arrays | undefined => {
  const sent = encoding?.length === 1 ? encoding[0].to : undefined
  return sent !== undefined && SchemaAST.isArrays(sent) ? sent : undefined
}

/** The one member of a union that takes an object or an array, where there is no other that could take this value. */
const holderOf = ({ types }: SchemaAST.Union, value: unknown): SchemaAST.AST | undefined => {
  const holders = types.filter((type) =>
    Array.isArray(value)
      ? SchemaAST.isArrays(type)
      : Predicate.isReadonlyObject(value) && SchemaAST.isObjects(type)
  )
  return holders.length === 1 && types.every((type) => type === holders[0] || isScalar(type))
    ? holders[0]
    : undefined
}
const isScalar = ({ _tag, encoding }: SchemaAST.AST): boolean =>
  encoding === undefined &&
  ["Null", "Undefined", "Void", "String", "Number", "Boolean", "Literal", "Never"].includes(_tag)
