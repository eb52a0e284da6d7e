// Cursors sealed with HMAC-SHA256 under a key of the service: readable by nobody's promise, changeable by nobody.
import { Cursors, type Position } from "@rapport/core/lists/Cursors.ts"
import { Layer, Option, Redacted, Schema } from "effect"
import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto"

/** Bytes of the tag kept: 128 bits. */
const TAG_BYTES = 16
const decodePosition = Schema.decodeUnknownOption(
  Schema.Array(Schema.Union([Schema.String, Schema.Finite, Schema.Boolean, Schema.Null]))
)

/** The first key seals, all of them open, so that a rotation of keys does not break a walk. */
export const layer = (keys: ReadonlyArray<Redacted.Redacted<Uint8Array>>): Layer.Layer<Cursors> =>
  Layer.sync(Cursors, () => {
    const derived = keys.map((key) =>
      Buffer.from(hkdfSync("sha256", Redacted.value(key), "", "rapport cursors", 32))
    )
    const first = derived[0]
    if (first === undefined) throw new Error("cursors need a key")
    return Cursors.of({
      seal: (purpose, position) => {
        const body = Buffer.from(JSON.stringify(position))
        return Buffer.concat([tag(first, purpose, body.toString()), body]).toString("base64url")
      },
      open: (purpose, cursor) => {
        const bytes = Buffer.from(cursor, "base64url")
        if (bytes.length <= TAG_BYTES || bytes.toString("base64url") !== cursor) return Option.none()
        const body = bytes.subarray(TAG_BYTES).toString()
        return derived.some((key) => timingSafeEqual(tag(key, purpose, body), bytes.subarray(0, TAG_BYTES)))
          ? parse(body)
          : Option.none()
      }
    })
  })

const tag = (key: Buffer, purpose: string, body: string) =>
  createHmac("sha256", key).update(purpose).update("\0").update(body).digest().subarray(0, TAG_BYTES)
const parse = (body: string): Option.Option<Position> => decodePosition(JSON.parse(body))
