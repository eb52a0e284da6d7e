// Collects the faults of a value, up to the number that an answer shows, so that the cost is bounded (contract §1.1, §12).
import { Predicate, Result, Schema, SchemaAST } from "effect"
import { VIOLATIONS_MAX } from "../Limits.ts"
import { type Fault, faultsOf, strict } from "./Faults.ts"

/**
 * The first `faultsMax` faults of `value`, in the order of its members. The framework cannot stop at a number of faults, so
 * this walks objects and arrays, checks the length of an array before its items, and decodes only leaves.
 */
export const collectFaults = (
  schema: Schema.Constraint,
  value: unknown,
  faultsMax: number = VIOLATIONS_MAX
): ReadonlyArray<Fault> => {
  const collector = new FaultCollector(faultsMax, joinPath)
  collector.check(schema.ast, value, "")
  return collector.found
}

/** The same for parameters of a path, query string or header. The path of a fault is the name of the parameter. */
export const collectParameterFaults = (
  schema: Schema.Constraint,
  parameters: Readonly<Record<string, unknown>>
): ReadonlyArray<Fault> => {
  const collector = new FaultCollector(VIOLATIONS_MAX, (name, rest) => (name === "" ? rest : name))
  collector.check(schema.ast, parameters, "")
  return collector.found
}

/** The message for an unknown member. */
export const isUnknown = "is unknown"

/** `scope.id`; a member of the root has no prefix. */
const memberPath = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`)
const joinPath = (path: string, rest: string): string =>
  path === "" || rest === "" || rest.startsWith("[") ? path + rest : `${path}.${rest}`

/** Whether a check only counts the members of an array or object. It runs before they are examined. */
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

  /** The path of a fault inside the value at a path. */
  private readonly pathWithin: (path: string, rest: string) => string

  constructor(faultsMax: number, pathWithin: (path: string, rest: string) => string) {
    this.faultsMax = faultsMax
    this.pathWithin = pathWithin
  }

  private get isFull(): boolean {
    return this.found.length >= this.faultsMax
  }

  /** Adds one fault for each path. */
  private add(fault: Fault) {
    if (this.isFull || this.paths.has(fault.path)) return
    this.paths.add(fault.path)
    this.found.push(fault)
  }

  check(ast: SchemaAST.AST, value: unknown, path: string): void {
    if (this.isFull) return
    if (ast.encoding === undefined) {
      if (SchemaAST.isSuspend(ast)) return this.check(ast.thunk(), value, path)
      if (SchemaAST.isObjects(ast) && Predicate.isReadonlyObject(value))
        return this.checkObject(ast, value, path)
      if (SchemaAST.isArrays(ast) && Array.isArray(value) && ast.elements.length === 0)
        return this.checkArray(ast, value, path)
      if (SchemaAST.isUnion(ast)) {
        const holder = holderOf(ast, value)
        if (holder !== undefined && ast.checks === undefined) return this.check(holder, value, path)
      }
    }
    const sent = sentArrayOf(ast)
    if (sent !== undefined && Array.isArray(value)) {
      const before = this.found.length
      this.checkArray(sent, value, path)
      if (this.found.length > before) return
    }
    this.decode(ast, value, path)
  }

  /** Decodes a value that is small or has valid parts. */
  private decode(ast: SchemaAST.AST, value: unknown, path: string): void {
    const decode = Schema.decodeUnknownResult(Schema.make<Schema.Codec<unknown>>(ast), strict)
    const result = decode(value)
    if (Result.isSuccess(result)) return
    for (const fault of faultsOf(result.failure.issue))
      this.add({ ...fault, path: this.pathWithin(path, fault.path) })
  }

  private checkObject(ast: SchemaAST.Objects, value: Readonly<Record<string, unknown>>, path: string): void {
    const before = this.found.length
    if (this.checkLength(ast, value, path)) return
    const known = new Set(ast.propertySignatures.map(({ name }) => name))
    for (const name of Object.keys(value)) {
      if (this.isFull) return
      if (known.has(name)) continue
      if (ast.indexSignatures.length === 0) this.add(ofShape(memberPath(path, name), isUnknown))
      for (const { parameter, type } of ast.indexSignatures) {
        this.decode(parameter, name, memberPath(path, name))
        this.check(type, value[name], memberPath(path, name))
      }
    }
    for (const { name, type } of ast.propertySignatures) {
      const memberName = String(name)
      if (Object.hasOwn(value, name)) this.check(type, value[memberName], memberPath(path, memberName))
      else if (!SchemaAST.isOptional(SchemaAST.toEncoded(type)))
        this.add(ofShape(memberPath(path, memberName), "is required"))
    }
    this.checkWhole(ast, value, path, before)
  }

  private checkArray(ast: SchemaAST.Arrays, value: ReadonlyArray<unknown>, path: string): void {
    const before = this.found.length
    const [item] = ast.rest
    if (this.checkLength(ast, value, path)) return
    if (item !== undefined)
      for (let i = 0; i < value.length && !this.isFull; i++) this.check(item, value[i], `${path}[${i}]`)
    this.checkWhole(ast, value, path, before)
  }

  /** Whether the number of members is wrong. Then this is the only fault of the value. */
  private checkLength(ast: SchemaAST.AST, value: unknown, path: string): boolean {
    const before = this.found.length
    const [first, ...others] = (ast.checks ?? []).filter(isLengthCheck)
    if (first !== undefined) this.decode(Schema.Unknown.check(first, ...others).ast, value, path)
    return this.found.length > before
  }

  /** Checks the whole value if its members are valid. */
  private checkWhole(ast: SchemaAST.AST, value: unknown, path: string, before: number) {
    const hasChecks = (ast.checks ?? []).some((check) => !isLengthCheck(check))
    if (hasChecks && this.found.length === before) this.decode(ast, value, path)
  }
}

/** The array from which a value is decoded. */
const sentArrayOf = ({ encoding }: SchemaAST.AST): SchemaAST.Arrays | undefined => {
  const sent = encoding?.length === 1 ? encoding[0].to : undefined
  return sent !== undefined && SchemaAST.isArrays(sent) ? sent : undefined
}

/** The only member of a union that can take this object or array. */
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
