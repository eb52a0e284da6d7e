// `rapport delivery`: decides about messages and broadcasts that a restore holds (docs/operations.md, "Backup and restore").
import { PositiveInt } from "@rapport/contract/values/Ids.ts"
import { Effect, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { discardHeld, type Held, releaseHeld } from "../postgres/delivery/HeldDeliveries.ts"
import { onDatabase } from "./CommandDatabase.ts"
import { json, print } from "./Output.ts"

const instance = Flag.String("instance").pipe(
  Flag.withSchema(Schema.FiniteFromString.pipe(Schema.decodeTo(PositiveInt))),
  Flag.withDescription("Id of the instance; without it all"),
  Flag.optional
)

const settling = (
  name: string,
  settle: typeof releaseHeld,
  textOf: (held: Held) => string,
  description: string
) =>
  Command.make(
    name,
    { instance, json },
    Effect.fnUntraced(function* (flags) {
      const held = yield* settle(flags.instance._tag === "Some" ? flags.instance.value : null)
      const isNone = held.deliveries + held.broadcasts === 0
      yield* print(flags.json, held, isNone ? "nothing is held" : textOf(held))
    }, onDatabase)
  ).pipe(Command.withDescription(description))

export const deliveryCommand = Command.make("delivery").pipe(
  Command.withDescription(
    "Decide about messages that a restore holds: the service from before may have sent them"
  ),
  Command.withSubcommands([
    settling(
      "release",
      releaseHeld,
      ({ broadcasts, deliveries }) =>
        `${deliveries} messages are sent within 10 seconds, and ${broadcasts} broadcasts go on; each message has the id that it had before`,
      "Send what a restore holds, and let its broadcasts go on. Receivers that know webhook-id drop what they have"
    ),
    settling(
      "discard",
      discardHeld,
      ({ broadcasts, deliveries }) =>
        `${deliveries} messages are not sent; ${broadcasts} broadcasts stay paused: cancel them, or release them`,
      "Send none of the messages that a restore holds. Its broadcasts stay paused"
    )
  ])
)
