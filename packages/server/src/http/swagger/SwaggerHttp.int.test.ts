// The documentation page in a real browser, by contract §1 "Documents": log in, try the read, see the pack, reload, log out;
// and by §1.2 the lists with their filters.
import { assert, describe, layer } from "@effect/vitest"
import { ContextPack } from "@rapport/contract/context/ContextPack.ts"
import { Effect, Schema } from "effect"
import { browserPage, isChromiumMissing } from "../../testing/BrowserFixtures.ts"
import { RunningServer, ServerFixtures } from "../../testing/ServerFixtures.ts"

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
      const readStorage = () => page.evaluate("JSON.stringify({ ...sessionStorage })") as Promise<string>

      await page.goto(`${origin}/api-docs`)
      await page.click("#operations-tag-Context")
      await page.click("#operations-Context-retrieveContext button.opblock-summary-control")
      await page.click("#operations-Context-retrieveContext .try-out__btn")

      assert.strictEqual((await tryRead()).status(), 401, "without a token the read is refused")
      await logIn("wrong password")
      await page.waitForSelector("#message:not(:empty)")
      assert.notInclude(await readStorage(), "accessToken")

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
      const token = JSON.parse(JSON.parse(await readStorage())["rapport.tokens"]).accessToken

      await page.click("#operations-tag-Tools")
      await page.click("#operations-Tools-callTools button.opblock-summary-control")
      await page.click("#operations-Tools-callTools .try-out__btn")
      const tools = page.waitForResponse((response) => response.url().endsWith("/kw/mcp"))
      await page.click("#operations-Tools-callTools .execute")
      assert.strictEqual((await tools).status(), 200, await (await tools).text())

      const loggedOut = page.waitForResponse((response) => response.url().endsWith("/auth/logout"))
      assert.isTrue(await page.isVisible("#logout"))
      assert.isFalse(await page.isVisible("#login-form"), "the form of a user who is logged in")
      await page.click("#logout")
      await page.waitForSelector("#session", { state: "hidden" })
      assert.strictEqual((await loggedOut).status(), 204)
      assert.strictEqual(await readStorage(), "{}")
      const after = await fetch(`${origin}/kw/api/v1/auth/me`, {
        headers: { authorization: `Bearer ${token}` }
      })
      assert.strictEqual(after.status, 401, "logout ends the session in the service")

      assert.strictEqual(await page.evaluate("localStorage.length"), 0)
      assert.deepStrictEqual(await context.cookies(), [])
      const foreign = requested.filter((url) => !url.startsWith(origin) && !url.startsWith("data:"))
      assert.deepStrictEqual(foreign, [], "nothing is loaded from elsewhere")
      // The browser reports only the two refusals that this test provokes.
      assert.deepStrictEqual(
        complaints.filter((text) => !text.includes("401")),
        []
      )
    })
  })
)

const usual = ["filter[createdAt][gt]", "filter[createdAt][lt]", "limit", "offset", "order[createdAt]"]

const filterLists = Effect.scoped(
  Effect.gen(function* () {
    const { origin } = yield* RunningServer
    const { complaints, page } = yield* browserPage
    yield* Effect.promise(async () => {
      await page.goto(`${origin}/api-docs`)
      await page.fill("#login", "administrator")
      await page.fill("#password", "rapport-demo")
      await page.click("#login-form button")
      await page.waitForSelector("#session:not([hidden])")

      const block = page.locator("#operations-Chats-listChats")
      const fold = block.locator(".more-filters button")
      const field = (name: string) => block.locator(`tr[data-param-name="${name}"]`)
      const visibleParameters = () =>
        block
          .locator("tr[data-param-name]")
          .evaluateAll((rows) => rows.map((row) => row.getAttribute("data-param-name")))
      const execute = async () => {
        const answer = page.waitForResponse((response) => response.url().includes("/OpChatRooms/list?"))
        await block.locator(".execute").click()
        const { searchParams } = new URL((await answer).url())
        return Object.fromEntries(searchParams)
      }
      await page.click("#operations-tag-Chats")
      await block.locator("button.opblock-summary-control").click()
      await fold.waitFor()
      assert.deepStrictEqual(await visibleParameters(), usual, "the five come first, the others are folded")
      assert.match((await fold.textContent()) ?? "", /^More filters \(\d\d+\)$/u)
      await block.locator(".try-out__btn").click()

      // The next key after the last of the five moves to the fold, which opens by keyboard.
      await field("order[createdAt]").locator("select").focus()
      await page.keyboard.press("Tab")
      await page.keyboard.press("Enter")
      assert.strictEqual(await fold.getAttribute("aria-expanded"), "true")
      assert.isAbove((await visibleParameters()).length, 100)
      await field("filter[status]").locator("select").selectOption("closed")
      const sent = await execute()
      assert.sameMembers(Object.keys(sent), [...usual, "filter[status]"])
      assert.strictEqual(sent["filter[status]"], "closed")
      await block.locator(".live-responses-table .highlight-code").first().waitFor()

      // Folded again, what is in use is still there, and is still sent.
      await fold.click()
      assert.strictEqual(await fold.getAttribute("aria-expanded"), "false")
      assert.deepStrictEqual(await visibleParameters(), [...usual, "filter[status]"])
      assert.deepStrictEqual(await execute(), sent)
      assert.deepStrictEqual(complaints, [])
    })
  })
)

describe.skipIf(isChromiumMissing)("/api-docs in Chromium", () => {
  layer(ServerFixtures.searchable(), { excludeTestServices: true, timeout: "120 seconds" })((it) => {
    it.effect(
      "/api-docs in Chromium logs in, adds the token to every call, stays logged in after a reload, and logs out",
      () => run,
      240_000
    )
    it.effect(
      "/api-docs in Chromium lists chats by their filters, with the mouse and with keys",
      () => filterLists,
      240_000
    )
  })
})
