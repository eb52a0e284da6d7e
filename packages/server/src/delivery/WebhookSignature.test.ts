import { assert, it } from "@effect/vitest"
import { Redacted } from "effect"
import { randomBytes } from "node:crypto"
import { Webhook } from "standardwebhooks"
import { isSigned, signedHeaders } from "./WebhookSignature.ts"

const secretOf = (bytes: number) => `whsec_${randomBytes(bytes).toString("base64")}`
const now = Date.now()
const body = JSON.stringify({
  type: "message.send",
  data: { text: "Добрий день, ваше замовлення вже їде 🚚" }
})

// contract §8: Standard Webhooks, both ways; the official library is the other side.

it("webhook signatures are accepted by the official library, for secrets of 24 to 64 bytes", () => {
  for (const bytes of [24, 32, 33, 64]) {
    const secret = secretOf(bytes)
    const headers = signedHeaders([Redacted.make(secret)], { id: "0199", body }, now)
    assert.deepStrictEqual(new Webhook(secret).verify(body, headers), JSON.parse(body))
  }
})

it("webhook signatures are refused when any part of the message or the secret differs", () => {
  const secret = secretOf(32)
  const timestamp = String(Math.floor(now / 1_000))
  const message = {
    id: "msg_1",
    timestamp,
    body,
    signature: new Webhook(secret).sign("msg_1", new Date(now), body)
  }
  const others = [
    { id: "msg_2" },
    { body: `${body} ` },
    { timestamp: String(Number(timestamp) - 1) },
    { timestamp: `${timestamp}.0` },
    { timestamp: "" },
    { signature: "" },
    { signature: "v1," },
    { signature: message.signature.slice(3) },
    { signature: message.signature.replace("v1,", "v2,") },
    { signature: `${message.signature.slice(0, -3)}A==` }
  ]
  const several = { ...message, signature: `v1,AAAA v1a,xyz ${message.signature}` }
  for (const right of [message, several]) assert.isTrue(isSigned([Redacted.make(secret)], right, now))
  for (const other of others)
    assert.isFalse(isSigned([Redacted.make(secret)], { ...message, ...other }, now), JSON.stringify(other))
  assert.isFalse(isSigned([Redacted.make(secretOf(32))], message, now))
})

it("webhook signatures are refused five minutes before and after", () => {
  const secrets = [Redacted.make(secretOf(32))]
  const { "webhook-signature": signature, "webhook-timestamp": timestamp } = signedHeaders(
    secrets,
    { id: "msg_1", body },
    now
  )
  const isTakenAt = (at: number) => isSigned(secrets, { id: "msg_1", timestamp, body, signature }, at)
  const signed = Number(timestamp) * 1_000
  assert.deepStrictEqual(
    [-300_001, -300_000, 0, 300_000, 300_001].map((distance) => isTakenAt(signed + distance)),
    [false, true, true, true, false]
  )
})
