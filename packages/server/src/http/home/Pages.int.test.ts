// Our pages in a real Chromium: without serious findings of axe, in light and dark, on a wide screen and on a phone
// (contract §1, "Documents").
import { assert, describe, layer } from "@effect/vitest"
import axe from "axe-core"
import { Effect, Schema } from "effect"
import type { Page } from "playwright-core"
import { browserPage, isChromiumMissing } from "../../testing/BrowserFixtures.ts"
import { RunningServer, ServerFixtures } from "../../testing/ServerFixtures.ts"

const decodeFindings = Schema.decodeUnknownPromise(
  Schema.Struct({
    violations: Schema.Array(
      Schema.Struct({
        id: Schema.String,
        impact: Schema.NullOr(Schema.String),
        nodes: Schema.Array(Schema.Struct({ html: Schema.String }))
      })
    )
  })
)

const check = async (page: Page, name: string) => {
  await page.evaluate(axe.source)
  const { violations } = await decodeFindings(await page.evaluate("axe.run()"))
  const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical")
  assert.deepStrictEqual(
    serious.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)}`),
    [],
    name
  )
  const overflow = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth")
  assert.isAtMost(overflow, 0, `${name} is wider than its screen`)
}

const locked = `[aria-label="authorization button locked"]`
/** Contrast depends on the scheme, overflow on the width: two looks cover both. */
const looks = [
  { colorScheme: "light", width: 1280 },
  { colorScheme: "dark", width: 390 }
] as const

const documentation = async (page: Page, origin: string, name: string) => {
  await page.goto(`${origin}/api-docs`)
  await page.waitForSelector("#operations-tag-Tickets")
  await check(page, `${name}, closed`)
  if (await page.isVisible("#login-form")) {
    await page.fill("#login", "administrator")
    await page.fill("#password", "rapport-demo")
    await page.click("#login-form button")
  }
  await page.waitForSelector("#session:not([hidden])")
  await page.fill("#search", "LIST ticket")
  const list = page.locator("#operations-Tickets-listTickets")
  await list.waitFor()
  assert.strictEqual(
    await page.locator("#operations-Context-retrieveContext").count(),
    0,
    "only what was searched"
  )
  await list.locator(locked).waitFor()
  await list.locator("button.opblock-summary-control").click()
  await list.locator(".try-out__btn").click()
  await list.locator(".execute").click()
  await list.locator(".live-responses-table .highlight-code").first().waitFor()
  await check(page, `${name}, with a list`)
  await list.locator("button.opblock-summary-control").click()
  await page.fill("#search", "retrieveContext")
  const read = page.locator("#operations-Context-retrieveContext")
  await read.locator("button.opblock-summary-control").click()
  await read.locator(".try-out__btn").click()
  await check(page, `${name}, with a request body`)
  await read.locator("button.opblock-summary-control").click()
}

const run = Effect.scoped(
  Effect.gen(function* () {
    const { origin } = yield* RunningServer
    const { complaints, page, requested } = yield* browserPage
    yield* Effect.promise(async () => {
      for (const { colorScheme, width } of looks) {
        const name = `${colorScheme}, ${width} px`
        await page.emulateMedia({ colorScheme })
        await page.setViewportSize({ width, height: 800 })
        await page.goto(origin)
        await check(page, `/, ${name}`)
        for (const place of ["/api-docs", "/swagger.json", "/demo/phone", "/health/ready"])
          assert.strictEqual(await page.locator(`a[href="${place}"]`).count(), 1, place)
        await page.goto(`${origin}/demo/phone`)
        await page.fill("#text", "Де моє замовлення?")
        await page.press("#text", "Enter")
        await page.waitForSelector("#messages li.client")
        await check(page, `/demo/phone, ${name}`)
        await documentation(page, origin, `/api-docs, ${name}`)
      }
      await page.click("#logout")
      await page.waitForSelector("#login-form:not([hidden])")
      assert.strictEqual(await page.locator(locked).count(), 0, "padlocks are open again")
      const foreign = requested.filter((url) => !url.startsWith(origin) && !url.startsWith("data:"))
      assert.deepStrictEqual(foreign, [], "nothing is loaded from elsewhere")
      assert.deepStrictEqual(complaints, [])
    })
  })
)

describe.skipIf(isChromiumMissing)("the pages in Chromium", () => {
  layer(ServerFixtures.running(), { excludeTestServices: true, timeout: "120 seconds" })((it) => {
    it.effect(
      "the pages have no serious finding of axe and fit every screen, and padlocks follow the login",
      () => run,
      480_000
    )

    it.effect("the pages are for browsers, and programs get 404 at /", () =>
      Effect.gen(function* () {
        const { call } = yield* RunningServer
        yield* Effect.promise(async () => {
          for (const accept of ["*/*", "application/json", "text/plain"]) {
            const answer = await call("/", { headers: { accept } })
            assert.strictEqual(answer.status, 404, accept)
            assert.strictEqual(answer.headers.get("content-type"), "application/problem+json")
          }
          const page = await call("/", { headers: { accept: "text/html,*/*;q=0.8" } })
          assert.deepStrictEqual([page.status, page.headers.get("vary")], [200, "accept"])
          assert.include(page.headers.get("content-security-policy") ?? "", "default-src 'none'")
          assert.strictEqual((await call("/favicon.svg")).headers.get("content-type"), "image/svg+xml")
        })
      })
    )
  })
})
