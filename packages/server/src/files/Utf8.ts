// Texts as UTF-8, and the hash of what packs show. V8 writes a text that is not of one byte each unit by unit, the machine converts
// it in one sweep.
import { Sha256 } from "@rapport/core/json/Sha256.ts"
import { Layer } from "effect"
import { transcode } from "node:buffer"
import { hash } from "node:crypto"

/** Longer texts are left to V8. */
const SCRATCH_UNITS = 128 * 1_024
const scratch = Buffer.allocUnsafeSlow(2 * SCRATCH_UNITS)

/** The bytes of a text in UTF-8; a lone surrogate becomes U+FFFD. */
export const utf8 = (text: string): Buffer => {
  if (text.length > SCRATCH_UNITS) return Buffer.from(text)
  try {
    return transcode(scratch.subarray(0, scratch.write(text, "utf16le")), "utf16le", "utf8")
  } catch {
    // A lone surrogate.
    return Buffer.from(text)
  }
}

/** From so many units on converting a text first is cheaper than hashing it as it is. */
const HASHED_CONVERTED_UNITS_MIN = 1_024

export const sha256Layer: Layer.Layer<Sha256> = Layer.succeed(Sha256, {
  hex: (text) => hash("sha256", text.length < HASHED_CONVERTED_UNITS_MIN ? text : utf8(text), "hex")
})
