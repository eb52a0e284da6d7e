// Cursors sealed with HMAC-SHA256 under a key of the service: callers cannot change them, and must not rely on their content.
import { Cursors } from "@rapport/core/lists/Cursors.ts"
import { Layer, Option, Redacted, Schema } from "effect"
import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from "node:crypto"
import { deflateRawSync, inflateRawSync } from "node:zlib"

/** Bytes of the tag kept: 128 bits. */
const TAG_BYTES = 16
/** Bytes of a position that is written into a cursor unchanged. */
const PLAIN_BYTES_MAX = 512
const PACKED = Buffer.from([0])
const decodePosition = Schema.decodeUnknownOption(
  Schema.Array(Schema.Union([Schema.String, Schema.Finite, Schema.Boolean, Schema.Null]))
)

/** The first key seals, all of them open, so that a rotation of keys does not break a walk. */
export const layer = (keys: ReadonlyArray<Redacted.Redacted<Uint8Array>>): Layer.Layer<Cursors> =>
  Layer.sync(Cursors, () => {
    const derived = keys.map((key) =>
      // As a key object: bytes would be made one for every tag.
      createSecretKey(Buffer.from(hkdfSync("sha256", Redacted.value(key), "", "rapport cursors", 32)))
    )
    const first = derived[0]
    if (first === undefined) throw new Error("cursors need a key")
    return Cursors.of({
      seal: (purpose, position) => {
        const body = packed(Buffer.from(JSON.stringify(position)))
        return Buffer.concat([tag(first, purpose, body), body]).toString("base64url")
      },
      open: (purpose, cursor) => {
        const bytes = Buffer.from(cursor, "base64url")
        if (bytes.length <= TAG_BYTES || bytes.toString("base64url") !== cursor) return Option.none()
        const body = bytes.subarray(TAG_BYTES)
        return derived.some((key) => timingSafeEqual(tag(key, purpose, body), bytes.subarray(0, TAG_BYTES)))
          ? decodePosition(JSON.parse(unpacked(body).toString()))
          : Option.none()
      }
    })
  })

const tag = (key: KeyObject, purpose: string, body: Uint8Array) =>
  createHmac("sha256", key).update(purpose).update("\0").update(body).digest().subarray(0, TAG_BYTES)

/** Positions of long names are packed, so that three of them fit into a cursor; a plain one begins with a bracket. */
const packed = (body: Buffer): Buffer =>
  body.length <= PLAIN_BYTES_MAX ? body : Buffer.concat([PACKED, deflateRawSync(body)])
/** Only what this service packed is unpacked: its tag was verified. */
const unpacked = (body: Buffer): Buffer =>
  body.subarray(0, 1).equals(PACKED) ? inflateRawSync(body.subarray(1)) : body
