// Cursors sealed with HMAC-SHA256, so that callers cannot change them.
import { Cursors } from "@rapport/core/lists/Cursors.ts"
import { Layer, Option, type Redacted, Schema } from "effect"
import { createHmac, type KeyObject, timingSafeEqual } from "node:crypto"
import { deflateRawSync, inflateRawSync } from "node:zlib"
import { derivedKey } from "../access/TokenKeys.ts"

/** Bytes of the tag kept: 128 bits. */
const TAG_BYTES = 16
/** Longer positions are compressed in a cursor. */
const PLAIN_BYTES_MAX = 512
const COMPRESSED = Buffer.from([0])
const decodePosition = Schema.decodeUnknownOption(
  Schema.Array(Schema.Union([Schema.String, Schema.Finite, Schema.Boolean, Schema.Null]))
)

/** The first key seals and every key opens, so that cursors outlive a key rotation. */
export const layer = (keys: ReadonlyArray<Redacted.Redacted<Uint8Array>>): Layer.Layer<Cursors> =>
  Layer.sync(Cursors, () => {
    const derived = keys.map((key) => derivedKey(key, "cursors"))
    const first = derived[0]
    if (first === undefined) throw new Error("cursors need a key")
    return Cursors.of({
      seal: (purpose, position) => {
        const body = compress(Buffer.from(JSON.stringify(position)))
        return Buffer.concat([tag(first, purpose, body), body]).toString("base64url")
      },
      open: (purpose, cursor) => {
        const bytes = Buffer.from(cursor, "base64url")
        if (bytes.length <= TAG_BYTES || bytes.toString("base64url") !== cursor) return Option.none()
        const body = bytes.subarray(TAG_BYTES)
        return derived.some((key) => timingSafeEqual(tag(key, purpose, body), bytes.subarray(0, TAG_BYTES)))
          ? decodePosition(JSON.parse(decompress(body).toString()))
          : Option.none()
      }
    })
  })

const tag = (key: KeyObject, purpose: string, body: Uint8Array) =>
  createHmac("sha256", key).update(purpose).update("\0").update(body).digest().subarray(0, TAG_BYTES)

/** Long positions are compressed, so that three long names fit; an uncompressed position begins with a bracket. */
const compress = (body: Buffer): Buffer =>
  body.length <= PLAIN_BYTES_MAX ? body : Buffer.concat([COMPRESSED, deflateRawSync(body)])
/** Safe to decompress: the tag is verified, so this service compressed it. */
const decompress = (body: Buffer): Buffer =>
  body.subarray(0, 1).equals(COMPRESSED) ? inflateRawSync(body.subarray(1)) : body
