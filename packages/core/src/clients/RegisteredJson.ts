// What a registered action answers is kept with its receipt as well: it is encoded once for both.
import { ActionRegistered } from "@rapport/contract/clients/ClientContextApi.ts"
import { Schema } from "effect"

const encode = Schema.encodeSync(Schema.toCodecJson(ActionRegistered))
const encoded = new WeakMap<ActionRegistered, object>()

/** Its JSON; the same object is not encoded a second time. */
export const registeredJson = (answer: ActionRegistered): object => {
  const json: object = encoded.get(answer) ?? Object(encode(answer))
  encoded.set(answer, json)
  return json
}
