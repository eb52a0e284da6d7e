// `rapport delivery`: releases or discards what a restore holds (docs/operations.md, "Backup and restore").
import { PositiveInt } from "@rapport/contract/values/Ids.ts"
import { Effect, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { discardHeld, type Held, releaseHeld } from "../postgres/delivery/HeldDeliveries.ts"
import { onDatabase } from "./CommandDatabase.ts"
import { json, print } from "./Output.ts"

const instance = Flag.String("instance").pipe(
  Flag.withSchema(Schema.FiniteFromString.pipe(Schema.decodeTo(PositiveInt))),
  Flag.withDescription("Id of the instance; default: all instances"),
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
    "Release or discard messages that a restore holds, because the service that wrote the backup may have sent them"
  ),
  Command.withSubcommands([
    settling(
      "release",
      releaseHeld,
      ({ broadcasts, deliveries }) =>
        `${deliveries} messages are sent within 10 seconds, with their former ids, and ${broadcasts} broadcasts continue`,
      "Send the messages that a restore holds, and continue its broadcasts. Receivers that check webhook-id drop duplicates"
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
