import { assert, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { fileWith, read } from "../testing/ConfigFixtures.ts"

const pem = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"

it.effect.each([
  "postgres://rapport:secret@db.example.com/rapport",
  "postgres://rapport:secret@10.0.0.7/rapport?sslmode=prefer",
  "postgres://rapport:secret@db/rapport?sslmode=disable"
])("DATABASE_URL over a network without TLS gives one warning: %s", (url) =>
  Effect.gen(function* () {
    const { warnings } = yield* read({ DATABASE_URL: url })
    assert.lengthOf(warnings, 1)
    assert.include(warnings[0], "without TLS")
    assert.notInclude(warnings[0], "secret")
  })
)

it.effect("DATABASE_URL gives no warning with TLS, on loopback or over a socket", () =>
  Effect.gen(function* () {
    for (const url of [
      "postgres://rapport@db.example.com/rapport?sslmode=require",
      "postgres://rapport@db.example.com/rapport?sslmode=verify-full",
      "postgres://rapport@127.0.0.1/rapport",
      "postgres://rapport@localhost/rapport",
      "postgres://rapport@[::1]/rapport",
      "postgres://rapport@localhost/rapport?host=/var/run/postgresql"
    ]) {
      assert.deepStrictEqual((yield* read({ DATABASE_URL: url })).warnings, [], url)
    }
  })
)

it.effect("DATABASE_URL takes the certificates of DATABASE_CA_FILE, or of sslrootcert", () =>
  Effect.gen(function* () {
    const file = yield* fileWith(pem)
    const url = "postgres://rapport@db.example.com/rapport"
    for (const environment of [
      { DATABASE_URL: url, DATABASE_CA_FILE: file },
      { DATABASE_URL: `${url}?sslmode=verify-full&sslrootcert=${file}` }
    ]) {
      const { settings, warnings } = yield* read(environment)
      assert.deepStrictEqual([settings.databaseCertificates, warnings], [pem, []])
    }
  })
)

it.effect("DATABASE_URL is refused with certificates that are missing, invalid or unused", () =>
  Effect.gen(function* () {
    const url = "postgres://rapport@db.example.com/rapport"
    const none = yield* fileWith("nothing")
    const ca = yield* fileWith(pem)
    for (const environment of [
      { DATABASE_URL: url, DATABASE_CA_FILE: "/nowhere/ca.pem" },
      { DATABASE_URL: url, DATABASE_CA_FILE: none },
      { DATABASE_URL: `${url}?sslmode=disable`, DATABASE_CA_FILE: ca }
    ]) {
      assert.isTrue(Exit.isFailure(yield* Effect.exit(read(environment))), JSON.stringify(environment))
    }
  })
)
