// /demo/phone in a real browser: what leaves the service arrives on the screen, and the answer comes back (demo seeds only).
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { request } from "node:http"
import { PHONE_MESSAGES_ADDRESS_MAX } from "./PhoneGuard.ts"
import { browserPage, isChromiumMissing } from "../testing/BrowserFixtures.ts"
import { RunningServer, ServerFixtures } from "../testing/ServerFixtures.ts"

const json = { "content-type": "application/json" }
const decodeChats = Schema.decodeUnknownPromise(
  Schema.Struct({
    data: Schema.Array(Schema.Struct({ id: Schema.Int, waitingSince: Schema.NullOr(Schema.String) }))
  })
)
const decodeMessages = Schema.decodeUnknownPromise(
  Schema.Struct({
    data: Schema.Array(
      Schema.Struct({ authorType: Schema.String, text: Schema.String, delivery: Schema.String })
    )
  })
)

const decodePosted = Schema.decodeUnknownPromise(
  Schema.Struct({ message: Schema.Struct({ id: Schema.Int, version: Schema.Int }) })
)

const decodeBots = Schema.decodeUnknownPromise(
  Schema.Struct({ data: Schema.Array(Schema.Struct({ id: Schema.Int })) })
)

/** The call that README.md shows. */
const callOf = async (call: RunningServer["Service"]["call"]) => ({
  bot_id: (await decodeBots(await (await call("/kw/api/v1/bots", { login: "administrator" })).json())).data[0]
    ?.id,
  connector_alias: "order-shipped",
  channel: "phone",
  chat_id: "501",
  data: { name: "Олено", order: 1024, message: "Кур’єр зателефонує." }
})

const asOperator = "Доброго дня, Олено! Ваше замовлення № 1024 вже їде.\n<b>Дякуємо</b> 🚚"
const edited = "Доброго дня, Олено! Ваше замовлення № 1024 прибуде завтра."
const answer = "Дякую! А о котрій годині?"

const run = Effect.scoped(
  Effect.gen(function* () {
    const { call, origin } = yield* RunningServer
    const { complaints, page, requested } = yield* browserPage
    yield* Effect.promise(async () => {
      await page.setViewportSize({ width: 360, height: 640 })
      const chats = async () =>
        (
          await decodeChats(
            await (
              await call("/kw/api/v1/OpChatRooms/list?filter[channel]=phone", { login: "administrator" })
            ).json()
          )
        ).data
      await page.goto(`${origin}/demo/phone`)
      await page.waitForSelector("#empty:not([hidden])")
      await page.locator("#client", { hasText: /^\p{Lu}\p{L}+/u }).waitFor()

      await page.fill("#text", "Де моє замовлення?")
      await page.click("#answer button")
      await page.waitForSelector("#messages li.client")
      const [chat] = await chats()
      assert.isNotNull(chat?.waitingSince, "the client waits for an answer")
      const place = `/kw/api/v1/OpChatRooms/${chat?.id}/messages`
      const body = JSON.stringify({ text: asOperator })
      const posted = await call(place, { login: "administrator", method: "POST", headers: json, body })
      const { message } = await decodePosted(await posted.json())

      const bubbles = page.locator("#messages li.company span")
      await bubbles.first().waitFor()
      assert.strictEqual(await bubbles.first().textContent(), asOperator, "shown as it is, never as HTML")
      const correction = JSON.stringify({ text: edited, expectedVersion: message.version })
      const edit = { login: "administrator", method: "PATCH", headers: json, body: correction } as const
      // 409 until the attempt that showed the message is settled.
      const change = async () => (await call(`${place}/${message.id}`, edit)).status
      let status = await change()
      for (; status === 409; status = await change()) await page.waitForTimeout(50)
      assert.strictEqual(status, 200)
      await bubbles.filter({ hasText: edited }).waitFor()
      const called = await call("/kw/api/call_node/", {
        login: "administrator",
        method: "POST",
        headers: json,
        body: JSON.stringify(await callOf(call))
      })
      assert.strictEqual(called.status, 200, await called.text())
      await bubbles.nth(1).waitFor()
      assert.strictEqual(
        await bubbles.nth(1).textContent(),
        "Олено! Ваше замовлення 1024 вже в дорозі. Кур’єр зателефонує."
      )
      const width = await page.evaluate("document.documentElement.scrollWidth")
      assert.isAtMost(Number(width), 360, "nothing is wider than the phone")
      await page.fill("#text", answer)
      await page.press("#text", "Enter")
      await page.waitForSelector(`#messages li.client:nth-child(4)`)

      const transcript = await decodeMessages(await (await call(place, { login: "administrator" })).json())
      assert.deepStrictEqual(
        transcript.data.map(({ authorType, delivery, text }) => [authorType, text, delivery]),
        [
          ["client", "Де моє замовлення?", "none"],
          ["operator", edited, "read"],
          ["bot", "Олено! Ваше замовлення 1024 вже в дорозі. Кур’єр зателефонує.", "read"],
          ["client", answer, "none"]
        ]
      )
      const foreign = requested.filter((url) => !url.startsWith(origin) && !url.startsWith("data:"))
      assert.deepStrictEqual(foreign, [], "nothing is loaded from elsewhere")
      assert.deepStrictEqual(complaints, [])
      if (process.env["PHONE_SCREENSHOT"] !== undefined)
        await page.screenshot({ path: process.env["PHONE_SCREENSHOT"] })
    })
  })
)

const postWith =
  (call: RunningServer["Service"]["call"]) =>
  async (headers: Record<string, string>, body = '{"text":"x"}') =>
    (await call("/demo/phone/messages", { method: "POST", headers, body })).status

/** `fetch` sends its own Host. */
const statusUnder = (origin: string, host: string) =>
  Effect.callback<number | undefined>((resume) => {
    request(`${origin}/demo/phone`, { headers: { host } }, (answer) => {
      answer.resume()
      resume(Effect.succeed(answer.statusCode))
    }).end()
  })

layer(ServerFixtures.running(), { excludeTestServices: true, timeout: "120 seconds" })((it) => {
  it.effect.skipIf(isChromiumMissing)(
    "the demo phone shows messages, sends replies, and fits a phone's screen in Chromium",
    () => run,
    60_000
  )

  it.effect("the demo phone refuses writes of another origin, media type or shape", () =>
    Effect.gen(function* () {
      const { call } = yield* RunningServer
      const post = postWith(call)
      yield* Effect.promise(async () => {
        assert.strictEqual(await post({ "content-type": "text/plain" }), 415)
        assert.strictEqual(await post({ ...json, "sec-fetch-site": "cross-site" }), 403)
        assert.strictEqual(await post(json, "{}"), 400)
        assert.strictEqual(await post(json, JSON.stringify({ text: "x".repeat(20_000) })), 400)
      })
    })
  )

  it.effect("the demo phone answers only under an address, localhost or its own name", () =>
    Effect.gen(function* () {
      const { origin } = yield* RunningServer
      for (const host of ["127.0.0.1", "localhost:8080", "[::1]:8080", "192.0.2.7"])
        assert.strictEqual(yield* statusUnder(origin, host), 200, host)
      for (const host of ["rebind.example", "localhost.example:8080", "127.0.0.1.example", "їжак"])
        assert.strictEqual(yield* statusUnder(origin, encodeURI(host)), 403, host)
    })
  )

  // Last: the limits are of the whole service.
  it.effect("the demo phone accepts a limited number of messages, then 429 with Retry-After", () =>
    Effect.gen(function* () {
      const { call } = yield* RunningServer
      const init = { method: "POST", headers: json, body: '{"text":"Їжак"}' }
      const answers = yield* Effect.promise(() =>
        Promise.all(
          Array.from({ length: 4 * PHONE_MESSAGES_ADDRESS_MAX }, () => call("/demo/phone/messages", init))
        )
      )
      const refused = answers.filter(({ status }) => status === 429)
      assert.isNotEmpty(refused)
      for (const { headers } of refused) assert.isAbove(Number(headers.get("retry-after")), 0)
    })
  )
})

layer(ServerFixtures.emptied({ RAPPORT_ADMIN_LOGIN: "root", RAPPORT_ADMIN_PASSWORD: "a long password" }), {
  excludeTestServices: true,
  timeout: "120 seconds"
})((it) => {
  it.effect("without the demo there is no phone, and the start shows no demo login", () =>
    Effect.flatMap(RunningServer, ({ call, process }) =>
      Effect.promise(async () => {
        assert.strictEqual((await call("/demo/phone")).status, 404)
        assert.notMatch(process.stdout, /rapport-demo|curl|phone/u)
      })
    )
  )
})
