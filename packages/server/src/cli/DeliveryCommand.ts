// `rapport delivery`: releases or discards the messages that a restore put on hold (docs/operations.md, "After a restore").
import { Effect } from "effect"
import { Command } from "effect/cli"
import { discardOnHold, type OnHold, releaseOnHold } from "../postgres/delivery/DeliveriesOnHold.ts"
import { onDatabase } from "./CommandDatabase.ts"
import { instanceFlag, optional } from "./Flags.ts"
import { print } from "./Output.ts"

const instance = optional(instanceFlag("Id of the instance; default: all instances"))

const makeSettleCommand = (
  name: string,
  settle: typeof releaseOnHold,
  textOf: (onHold: OnHold) => string,
  description: string
) =>
  Command.make(
    name,
    { instance },
    Effect.fnUntraced(function* (flags) {
      const onHold = yield* settle(flags.instance ?? null)
      const isNone = onHold.deliveries + onHold.broadcasts === 0
      yield* print(onHold, isNone ? "nothing is held" : textOf(onHold))
    }, onDatabase)
  ).pipe(Command.withDescription(description))

export const deliveryCommand = Command.make("delivery").pipe(
  Command.withDescription(
    "Release or discard messages that a restore holds, because the service that wrote the backup may have sent them"
  ),
  Command.withSubcommands([
    makeSettleCommand(
      "release",
      releaseOnHold,
      ({ broadcasts, deliveries }) =>
        `${deliveries} messages are sent within 10 seconds, with their former ids, and ${broadcasts} broadcasts continue`,
      "Send the messages that a restore holds, and continue its broadcasts. Receivers that check webhook-id drop duplicates"
    ),
    makeSettleCommand(
      "discard",
      discardOnHold,
      ({ broadcasts, deliveries }) =>
        `${deliveries} messages are not sent; ${broadcasts} broadcasts stay paused: cancel them, or release them`,
      "Send none of the messages that a restore holds. Its broadcasts stay paused"
    )
  ])
)
