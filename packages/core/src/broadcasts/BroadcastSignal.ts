// Port that notifies idle processes of work for broadcasts.
import { Context } from "effect"
import type { Signal } from "../values/Signal.ts"

export class BroadcastSignal extends Context.Service<BroadcastSignal, Signal>()(
  "@rapport/core/broadcasts/BroadcastSignal"
) {}
