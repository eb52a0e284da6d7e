// Texts as UTF-8: V8 writes a text that is not of one byte each unit by unit, the machine converts it in one sweep.
import { transcode } from "node:buffer"

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
