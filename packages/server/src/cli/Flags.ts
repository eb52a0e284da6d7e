// Flags and arguments that several commands have.
import { PositiveInt } from "@rapport/contract/values/Ids.ts"
import { Option, Schema } from "effect"
import { Argument, Flag, GlobalFlag } from "effect/cli"

/** The flag that every command has. */
export const Json = GlobalFlag.Setting("json")({
  flag: Flag.Boolean("json").pipe(
    Flag.withDescription("Print one JSON document instead of text"),
    Flag.withDefault(false)
  )
})

/** Undefined if it is absent. */
export const optional = <A>(flag: Flag.Flag<A>): Flag.Flag<A | undefined> =>
  Flag.map(Flag.optional(flag), Option.getOrUndefined)

const Id = Schema.FiniteFromString.pipe(Schema.decodeTo(PositiveInt))

export const idArgument = (description: string) =>
  Argument.String("id").pipe(Argument.withDescription(description), Argument.withSchema(Id))

export const instanceFlag = (description: string) =>
  Flag.String("instance").pipe(Flag.withSchema(Id), Flag.withDescription(description))

/** The first instance of a service is the default. */
export const instance = instanceFlag("Id of the instance; 1 is the first instance of a service").pipe(
  Flag.withDefault(1)
)
