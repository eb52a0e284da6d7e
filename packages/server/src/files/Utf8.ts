// Fast UTF-8 encoding: for non-Latin texts `transcode` uses vector instructions, which V8's own encoder does not.
import { Sha256 } from "@rapport/core/json/Sha256.ts"
import { Layer } from "effect"
import { transcode } from "node:buffer"
import { hash } from "node:crypto"

/** V8 encodes longer texts. */
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

/** From this length on, converting a text before hashing it is cheaper. */
const HASHED_CONVERTED_UNITS_MIN = 1_024

export const sha256Layer: Layer.Layer<Sha256> = Layer.succeed(Sha256, {
  hex: (text) => hash("sha256", text.length < HASHED_CONVERTED_UNITS_MIN ? text : utf8(text), "hex")
})
