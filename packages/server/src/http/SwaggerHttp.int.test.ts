// The documentation page in a real browser, by docs/contract.md §1 "Documents": log in, try the read, see the pack, reload, log out.
import { assert, describe, layer } from "@effect/vitest"
import { ContextPack } from "@rapport/contract/context/ContextPack.ts"
import { Effect, Schema } from "effect"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { chromium } from "playwright-core"
import { RunningServer, ServerFixtures } from "../testing/ServerFixtures.ts"

const executablePath = process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium"
const isMissing = !existsSync(executablePath)
if (isMissing) {
  if (process.env["CI"] === "true")
    throw new Error(`Chromium is missing at ${executablePath}: .ci/run installs it`)
  console.warn(
    `SKIPPED: the documentation page is not tested in a browser, Chromium is missing at ${executablePath}`
  )
}

/** A page whose every request, error and violation of the policy is written down. */
const browserPage = Effect.gen(function* () {
  const profile = mkdtempSync(join(tmpdir(), "rapport-chromium-"))
  const context = yield* Effect.acquireRelease(
    Effect.promise(() =>
      chromium.launchPersistentContext(profile, {
        executablePath,
        headless: true,
        args: [
          "--no-sandbox",
          "--disable-gpu",
          "--disable-quic",
          "--no-first-run",
          "--disable-background-networking",
          "--disable-component-update",
          "--disable-sync"
        ]
      })
    ),
    (context) =>
      Effect.promise(async () => {
        await context.close()
        rmSync(profile, { recursive: true, force: true })
      })
  )
  const page = yield* Effect.promise(() => context.newPage())
  const requested: Array<string> = []
  const complaints: Array<string> = []
  page.on("request", (request) => requested.push(request.url()))
  page.on("pageerror", (error) => complaints.push(error.message))
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()))
  return { context, page, requested, complaints }
})

const run = Effect.scoped(
  Effect.gen(function* () {
    const { origin } = yield* RunningServer
    const { complaints, context, page, requested } = yield* browserPage
    yield* Effect.promise(async () => {
      const logIn = async (password: string) => {
        await page.fill("#login", "administrator")
        await page.fill("#password", password)
        await page.click("#login-form button")
      }
      const tryRead = async () => {
        const answer = page.waitForResponse((response) =>
          response.url().endsWith("/kw/chatrooms/context/retrieve")
        )
        await page.click(".execute")
        return await answer
      }
      const stored = () => page.evaluate("JSON.stringify({ ...sessionStorage })") as Promise<string>

      await page.goto(`${origin}/api-docs`)
      await page.waitForSelector("#operations-Context-retrieveContext")
      await page.click("#operations-Context-retrieveContext button.opblock-summary-control")
      await page.click("#operations-Context-retrieveContext .try-out__btn")

      assert.strictEqual((await tryRead()).status(), 401, "without a token the read is refused")
      await logIn("wrong password")
      await page.waitForSelector("#message:not(:empty)")
      assert.notInclude(await stored(), "accessToken")

      await logIn("rapport-demo")
      await page.waitForSelector("#session:not([hidden])")
      assert.include((await page.textContent("#who")) ?? "", "administrator")
      const read = await tryRead()
      assert.strictEqual(read.status(), 200, await read.text())
      const pack = Schema.decodeUnknownSync(ContextPack)(await read.json())
      assert.deepStrictEqual(pack.scope, { entity: "client", id: 501 })
      await page.waitForSelector("#operations-Context-retrieveContext .live-responses-table .highlight-code")

      await page.reload()
      await page.waitForSelector("#session:not([hidden])")
      await page.waitForSelector("#operations-Context-retrieveContext")
      const again = await page.evaluate<number>(
        `fetch("/kw/api/v1/auth/me", { headers: { authorization: "Bearer " + JSON.parse(sessionStorage["rapport.tokens"]).accessToken } }).then((r) => r.status)`
      )
      assert.strictEqual(again, 200, "a reload stays logged in")
      const token = JSON.parse(JSON.parse(await stored())["rapport.tokens"]).accessToken

      const loggedOut = page.waitForResponse((response) => response.url().endsWith("/auth/logout"))
      await page.click("#logout")
      assert.strictEqual((await loggedOut).status(), 204)
      assert.strictEqual(await stored(), "{}")
      const after = await fetch(`${origin}/kw/api/v1/auth/me`, {
        headers: { authorization: `Bearer ${token}` }
      })
      assert.strictEqual(after.status, 401, "logout ends the session in the service")

      assert.strictEqual(await page.evaluate("localStorage.length"), 0)
      assert.deepStrictEqual(await context.cookies(), [])
      const foreign = requested.filter((url) => !url.startsWith(origin) && !url.startsWith("data:"))
      assert.deepStrictEqual(foreign, [], "nothing is loaded from elsewhere")
      // The two refusals asked for above are the only things the browser complains of.
      assert.deepStrictEqual(
        complaints.filter((text) => !text.includes("401")),
        []
      )
    })
  })
)

describe.skipIf(isMissing)("/api-docs in Chromium", () => {
  layer(ServerFixtures.running(), { excludeTestServices: true, timeout: "120 seconds" })((it) => {
    it.effect(
      "logs in, adds the token to every call, stays logged in after a reload, logs out",
      () => run,
      60_000
    )
  })
})
