// The place that a request has among those of its tenant that are worked on at once.
import { Context } from "effect"

/** Gives it to another while this one only waits for what others write; called again it does nothing. */
export const LeavePlace = Context.Reference<() => void>("core/traffic/LeavePlace", {
  defaultValue: () => () => undefined
})
