import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { keepSealed, type Seal, sealOf, type SealedPlace } from "./ConnectorSeal.ts"
import { parseTokenKeys } from "./TokenKeys.ts"

const sealWith = (...bytes: ReadonlyArray<number>): Seal =>
  sealOf(
    Effect.runSync(
      parseTokenKeys(
        Redacted.make(bytes.map((byte) => Buffer.alloc(32, byte).toString("base64url")).join(","))
      )
    )
  )
const place: SealedPlace = { instanceId: 1, botId: 2, channel: "telegram", member: "token" }
const TOKEN = "123456:AAE-canary_token"
const openText = (seal: Seal, stored: string, at: SealedPlace = place) => {
  const found = seal.open(at, stored)
  return found === undefined ? undefined : Redacted.value(found)
}

const seal = sealWith(1)
const stored = seal.seal(place, Redacted.make(TOKEN))

it("connector secrets are encrypted differently each time and decrypted again", () => {
  assert.notInclude(stored, "canary")
  assert.notStrictEqual(seal.seal(place, Redacted.make(TOKEN)), stored)
  assert.strictEqual(openText(seal, stored), TOKEN)
})

it("connector secrets decrypt only in their own place and unaltered", () => {
  const others: ReadonlyArray<Partial<SealedPlace>> = [
    { instanceId: 2 },
    { botId: 3 },
    { channel: "web" },
    { member: "secret" }
  ]
  for (const other of others) assert.isUndefined(openText(seal, stored, { ...place, ...other }))
  const [head, body = ""] = [stored.slice(0, stored.lastIndexOf(".") + 1), stored.split(".").at(-1)]
  for (let at = 0; at < body.length; at += 7) {
    const other = body[at] === "A" ? "B" : "A"
    assert.isUndefined(openText(seal, `${head}${body.slice(0, at)}${other}${body.slice(at + 1)}`))
  }
  for (const broken of ["sealed.v1.", `${head}`, `${head}AAAA`, "sealed.v1.other.AAAA"])
    assert.isUndefined(openText(seal, broken))
})

it("connector secrets that no key opens are written back as they were read", () => {
  const other = sealWith(2)
  assert.isUndefined(openText(other, stored), "its key is gone")
  assert.strictEqual(other.seal(place, keepSealed(stored)), stored)
})

it("connector secrets are encrypted whatever they begin with, also text that looks encrypted", () => {
  for (const secret of ["sealed.v1.", `sealed.v1.${"A".repeat(80)}`, stored]) {
    const again = seal.seal({ ...place, member: "secret" }, Redacted.make(secret))
    assert.notStrictEqual(again, secret)
    assert.strictEqual(openText(seal, again, { ...place, member: "secret" }), secret)
  }
})
