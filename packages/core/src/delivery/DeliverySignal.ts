// Port that notifies idle delivery workers of new deliveries.
import { Context } from "effect"
import type { Signal } from "../values/Signal.ts"

export class DeliverySignal extends Context.Service<DeliverySignal, Signal>()(
  "@rapport/core/delivery/DeliverySignal"
) {}
