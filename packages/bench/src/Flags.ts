// Flags of the measuring program, each with what it is where it is not given.
import { Flag } from "effect/cli"

export const count = (name: string, usual: number, description: string) =>
  Flag.Int(name).pipe(Flag.withDescription(description), Flag.withDefault(usual))

/** Not given: empty. */
export const text = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.withDefault(""))

export const connections = count("connections", 16, "Connections that send in parallel")

/** Of one measurement. */
export const seconds = (usual: number) => count("seconds", usual, "Length of one measurement")
