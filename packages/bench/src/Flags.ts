// Flags of the measuring program with their defaults.
import { Flag } from "effect/cli"

export const count = (name: string, usual: number, description: string) =>
  Flag.Int(name).pipe(Flag.withDescription(description), Flag.withDefault(usual))

/** Empty by default. */
export const text = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.withDefault(""))

export const connections = count("connections", 16, "Connections that send in parallel")

/** The length of one measurement. */
export const seconds = (usual: number) => count("seconds", usual, "Length of one measurement")
