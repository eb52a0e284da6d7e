// Notifies the projections that something was committed, so that they poll immediately instead of after their interval.
import { Context } from "effect"
import type { Signal } from "../values/Signal.ts"

export class OutboxSignal extends Context.Service<OutboxSignal, Signal>()(
  "@rapport/core/search/OutboxSignal"
) {}
