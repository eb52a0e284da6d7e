// `rapport delivery`: releases or discards the messages that a restore put on hold (docs/operations.md, "After a restore").
import { PositiveInt } from "@rapport/contract/values/Ids.ts"
import { Effect, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { discardOnHold, type OnHold, releaseOnHold } from "../postgres/delivery/DeliveriesOnHold.ts"
import { onDatabase } from "./CommandDatabase.ts"
import { json, print } from "./Output.ts"

const instance = Flag.String("instance").pipe(
  Flag.withSchema(Schema.FiniteFromString.pipe(Schema.decodeTo(PositiveInt))),
  Flag.withDescription("Id of the instance; default: all instances"),
  Flag.optional
)

const settling = (
  name: string,
  settle: typeof releaseOnHold,
  textOf: (onHold: OnHold) => string,
  description: string
) =>
  Command.make(
    name,
    { instance, json },
    Effect.fnUntraced(function* (flags) {
      const onHold = yield* settle(flags.instance._tag === "Some" ? flags.instance.value : null)
      const isNone = onHold.deliveries + onHold.broadcasts === 0
      yield* print(flags.json, onHold, isNone ? "nothing is held" : textOf(onHold))
    }, onDatabase)
  ).pipe(Command.withDescription(description))

export const deliveryCommand = Command.make("delivery").pipe(
  Command.withDescription(
    "Release or discard messages that a restore holds, because the service that wrote the backup may have sent them"
  ),
  Command.withSubcommands([
    settling(
      "release",
      releaseOnHold,
      ({ broadcasts, deliveries }) =>
        `${deliveries} messages are sent within 10 seconds, with their former ids, and ${broadcasts} broadcasts continue`,
      "Send the messages that a restore holds, and continue its broadcasts. Receivers that check webhook-id drop duplicates"
    ),
    settling(
      "discard",
      discardOnHold,
      ({ broadcasts, deliveries }) =>
        `${deliveries} messages are not sent; ${broadcasts} broadcasts stay paused: cancel them, or release them`,
      "Send none of the messages that a restore holds. Its broadcasts stay paused"
    )
  ])
)
