// SHA-256 by the machine: the hash of what packs show.
import { Sha256 } from "@rapport/core/json/Sha256.ts"
import { Layer } from "effect"
import { hash } from "node:crypto"
import { utf8 } from "../Utf8.ts"

/** From so many units on converting a text first is cheaper than hashing it as it is. */
const CONVERTED_UNITS_MIN = 1_024

export const layer: Layer.Layer<Sha256> = Layer.succeed(Sha256, {
  hex: (text) => hash("sha256", text.length < CONVERTED_UNITS_MIN ? text : utf8(text), "hex")
})
