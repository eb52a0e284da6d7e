// Reads that begin with a remembered session answer as those that are authenticated first (docs/contract.md §1, §2).
import { assert, describe, it } from "@effect/vitest"
import { type AuthorizedSession, CurrentSession } from "@rapport/contract/Authorization.ts"
import { AccessDenied, SearchUnavailable, Unauthenticated } from "@rapport/contract/Errors.ts"
import { Authenticator } from "@rapport/core/access/Authenticator.ts"
import { CurrentSessionProof, isSameSession } from "@rapport/core/access/SessionProof.ts"
import type { Denial } from "@rapport/core/audit/Denials.ts"
import { Deferred, Effect, Fiber, Layer, Option } from "effect"
import { HttpServerResponse } from "effect/http"
import {
  GOOD,
  groundApp,
  type GroundOptions,
  json,
  known,
  problem,
  READ,
  unlimited
} from "../../testing/HttpFixtures.ts"
import { HttpSettings } from "../HttpSettings.ts"
import { begin, makeRememberedSessions, REMEMBERED_ITEMS_MAX } from "./RequestAuthentication.ts"
import { anySession } from "@rapport/core/testing/SessionFixtures.ts"

interface World {
  ended: boolean
  roles: AuthorizedSession["roles"]
  denied: boolean
}

/** An application whose read proves its session as the context read does, and what it meets. */
const worldOf = (remembersSessions: boolean, options: GroundOptions = {}) => {
  const world: World = { ended: false, roles: ["administrator"], denied: false }
  const authenticated: Array<string> = []
  const denials: Array<Denial> = []
  const present = (session: AuthorizedSession) => ({ ...session, roles: world.roles })
  const app = groundApp({
    authenticated,
    denials,
    hasEnded: () => world.ended,
    present,
    settings: { limits: unlimited, remembersSessions },
    read: (request) =>
      Effect.gen(function* () {
        const proof = yield* CurrentSessionProof
        const session = Option.getOrThrow(yield* Effect.serviceOption(CurrentSession))
        if (proof !== null) {
          proof.state = !world.ended && isSameSession(session, present(session)) ? "proven" : "stale"
          if (proof.state === "stale") return yield* new AccessDenied()
        }
        if (world.denied) return yield* new AccessDenied()
        return HttpServerResponse.jsonUnsafe({ request, roles: session.roles })
      }),
    ...options
  })
  const read = (headers: Record<string, string> = known, body: unknown = GOOD) =>
    app.call("POST", READ, { headers, body })
  return { world, authenticated, denials, read, dispose: app.dispose }
}

/** What an answer shows but for its id and the time that its quota takes. */
const shown = async (answer: Response) => {
  const headers = Object.fromEntries(answer.headers)
  const { "x-request-id": id, ratelimit, ...rest } = headers
  const text = (await answer.text()).replaceAll(id ?? "", "id")
  return { status: answer.status, headers: rest, hasQuota: ratelimit !== undefined, text }
}

describe("a read that begins with a remembered session", () => {
  it("is not authenticated by a statement of its own", async () => {
    const { authenticated, dispose, read } = worldOf(true)
    assert.strictEqual((await read()).status, 200)
    assert.lengthOf(authenticated, 1)
    const first = await shown(await read())
    assert.strictEqual(first.status, 200)
    assert.lengthOf(authenticated, 1)
    await dispose()
  })

  it("answers 401 when the session has ended, without a quota, and notes one refusal without a caller", async () => {
    const { denials, dispose, read, world } = worldOf(true)
    await read()
    world.ended = true
    for (let n = 0; n < 2; n++) {
      const answer = await read()
      assert.isNull(answer.headers.get("ratelimit"))
      assert.isNull(answer.headers.get("ratelimit-policy"))
      assert.strictEqual(answer.headers.get("www-authenticate"), "Bearer")
      await problem(answer, 401, "UNAUTHENTICATED")
    }
    assert.deepStrictEqual(
      denials.map(({ reason, session }) => [reason, session]),
      [
        ["unauthenticated", null],
        ["unauthenticated", null]
      ]
    )
    await dispose()
  })

  it("judges the token before the body", async () => {
    const { dispose, read, world } = worldOf(true)
    await read()
    world.ended = true
    await problem(await read(known, { nothing: 1 }), 401, "UNAUTHENTICATED")
    await dispose()
  })

  it("is made again with the rights of now when they have changed", async () => {
    const { authenticated, denials, dispose, read, world } = worldOf(true)
    await read()
    world.roles = ["analyst"]
    const answer = await read()
    assert.strictEqual(answer.status, 200)
    assert.deepInclude(JSON.parse(await answer.text()), { roles: ["analyst"] })
    assert.lengthOf(authenticated, 2)
    await read()
    assert.lengthOf(authenticated, 2)
    assert.isEmpty(denials)
    await dispose()
  })

  it("is counted once when it is made again", async () => {
    // No more of them come within 12 seconds.
    const limits = { ...unlimited, CONTEXT_READS_PER_MINUTE: 5 }
    const { dispose, read, world } = worldOf(true, { settings: { limits, remembersSessions: true } })
    const left = async () => Number(/r=(\d+)/u.exec((await read()).headers.get("ratelimit") ?? "")?.[1])
    const first = await left()
    for (const [at, role] of (["analyst", "operator", "supervisor"] as const).entries()) {
      world.roles = [role]
      assert.strictEqual(await left(), first - at - 1)
    }
    await dispose()
  })

  it("that proves nothing is authenticated all the same", async () => {
    const { authenticated, dispose, read, world } = worldOf(true, {
      read: () => Effect.succeed(HttpServerResponse.jsonUnsafe({}))
    })
    for (let n = 0; n < 3; n++) assert.strictEqual((await read()).status, 200)
    assert.lengthOf(authenticated, 3)
    world.ended = true
    await problem(await read(), 401, "UNAUTHENTICATED")
    await dispose()
  })

  it("whose statement is not answered says that the database is away, or what it says if the caller could be authenticated", async () => {
    const late = new SearchUnavailable({ reason: "timeout" })
    let isSlow = false
    const { dispose, read } = worldOf(true, {
      read: () =>
        Effect.gen(function* () {
          const proof = yield* CurrentSessionProof
          if (proof === null) return HttpServerResponse.jsonUnsafe({})
          if (isSlow) proof.isSlow()
          yield* Effect.sleep(20)
          return yield* late
        })
    })
    await read()
    const away = await read()
    assert.strictEqual(away.headers.get("retry-after"), "1")
    assert.strictEqual((await problem(away, 503, "SEARCH_UNAVAILABLE")).reason, "database_unavailable")
    isSlow = true
    assert.strictEqual((await problem(await read(), 503, "SEARCH_UNAVAILABLE")).reason, "timeout")
    await dispose()
  })

  it("answers every good and bad request as one that is authenticated first", async () => {
    const [begins, asks] = [worldOf(true), worldOf(false)]
    const markdown = { ...known, accept: "text/markdown" }
    const requests: ReadonlyArray<readonly [Record<string, string>, unknown, Partial<World>?]> = [
      [known, GOOD],
      [markdown, GOOD],
      [{}, GOOD],
      [{ authorization: "Bearer nobody" }, GOOD],
      [{ authorization: "Basic user-1" }, GOOD],
      [{ ...known, "x-auth-token": "token-1" }, GOOD],
      [{ "x-auth-token": "token-1" }, GOOD],
      [{ ...known, accept: "image/png" }, GOOD],
      [{ ...known, "content-type": "text/plain" }, "{}"],
      [{ ...known, "content-encoding": "gzip", ...json }, "{}"],
      [{ ...known, ...json }, "{"],
      [{ ...known, ...json }, '{"scope":1,"scope":2}'],
      [{ ...known, ...json }, "\ufeff{}"],
      [{ ...known, ...json }, ""],
      [known, { ...GOOD, timeoutMs: 1 }],
      [known, { ...GOOD, tokenBudget: 10_000_000 }],
      [known, { ...GOOD, more: "a".repeat(70_000) }],
      [known, { scope: { entity: "client", id: "1" }, unknown: 1 }],
      [known, GOOD, { denied: true }],
      [known, GOOD, { roles: ["operator"] }],
      [known, GOOD, { ended: true }],
      [known, { nothing: 1 }, { ended: true }]
    ]
    for (const [headers, body, change = {}] of requests) {
      const answers = []
      for (const { read, world } of [begins, asks]) {
        Object.assign(world, { ended: false, denied: false, roles: ["administrator"] })
        // Remembered from here on.
        assert.strictEqual((await read()).status, 200)
        Object.assign(world, change)
        answers.push(await shown(await read(headers, body)))
      }
      assert.deepStrictEqual(answers[0], answers[1], JSON.stringify([headers, body, change]).slice(0, 200))
    }
    assert.deepStrictEqual(
      begins.denials.map(({ isAudited, operation, reason, session }) => [
        reason,
        operation,
        session?.userId,
        isAudited
      ]),
      asks.denials.map(({ isAudited, operation, reason, session }) => [
        reason,
        operation,
        session?.userId,
        isAudited
      ])
    )
    await begins.dispose()
    await asks.dispose()
  })
})

const sessionOf = (sessionId: string, colleagues: number) =>
  anySession({ sessionId, roles: ["supervisor"], colleagueIds: Array.from({ length: colleagues }, () => 1) })

/** A token is the name of its session. */
const authenticatorLayer = Layer.mock(Authenticator, {
  verify: (token) =>
    token === "forged"
      ? Effect.fail(new Unauthenticated())
      : Effect.succeed({ instanceId: 1, userId: 1, sessionId: token })
})
const settingsLayer = HttpSettings.layer({ remembersSessions: true })

describe("the sessions that are remembered", () => {
  it.effect("are the latest, as many as memory has a bound for", () =>
    Effect.gen(function* () {
      const { find, note } = yield* makeRememberedSessions
      const known = Effect.fnUntraced(function* (...tokens: ReadonlyArray<string>) {
        const found = yield* Effect.forEach(tokens, (token) => find("retrieve", token))
        return tokens.filter((_, at) => found[at] !== undefined)
      })
      const large = REMEMBERED_ITEMS_MAX * 0.4
      for (const token of ["a", "b"]) note(token, sessionOf(token, large))
      note("small", sessionOf("small", 1))
      assert.deepStrictEqual(yield* known("a", "b", "small"), ["a", "b", "small"])
      // One that is noted again counts once, and is the latest.
      note("a", sessionOf("a", large))
      note("c", sessionOf("c", large))
      assert.deepStrictEqual(yield* known("a", "b", "c", "small"), ["a", "c", "small"])
      note("too large", sessionOf("too large", REMEMBERED_ITEMS_MAX + 1))
      assert.deepStrictEqual(yield* known("a", "c", "small", "too large"), ["a", "c", "small"])
      for (const token of ["a", "c"]) note(token, undefined)
      for (const token of ["d", "e"]) note(token, sessionOf(token, large))
      assert.deepStrictEqual(yield* known("a", "c", "d", "e", "small"), ["d", "e", "small"])
    }).pipe(Effect.provide([authenticatorLayer, settingsLayer]))
  )

  it.effect("are those of a token that proves itself still, on routes that prove the session", () =>
    Effect.gen(function* () {
      const { find, note } = yield* makeRememberedSessions
      note("forged", sessionOf("forged", 1))
      note("other", sessionOf("another session", 1))
      note("good", sessionOf("good", 1))
      const asked = [find("retrieve", "forged"), find("retrieve", "other"), find("updateUser", "good")]
      assert.deepStrictEqual(yield* Effect.all(asked), [undefined, undefined, undefined])
      assert.isDefined(yield* find("retrieve", "good"))
    }).pipe(Effect.provide([authenticatorLayer, settingsLayer]))
  )

  it.effect("are not authenticated any more when their caller is gone", () =>
    Effect.gen(function* () {
      const [slow, ended] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const asking = Effect.onInterrupt(Effect.never, () => Deferred.succeed(ended, undefined))
      const request = yield* Effect.forkChild(
        begin(
          sessionOf("a", 1),
          (proof) => {
            proof.isSlow()
            return Effect.andThen(Deferred.succeed(slow, undefined), Effect.never)
          },
          () => 0,
          asking
        )
      )
      yield* Deferred.await(slow)
      yield* Fiber.interrupt(request)
      yield* Deferred.await(ended)
    })
  )
})
