// A real Chromium for tests of the documentation page, which is the one thing of the service that runs in a browser.
import { Effect } from "effect"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { chromium } from "playwright-core"

const executablePath = process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium"

/** No Chromium is there: its tests are skipped with one loud line; with CI=true that is a failure. */
export const isChromiumMissing = !existsSync(executablePath)
if (isChromiumMissing) {
  if (process.env["CI"] === "true")
    throw new Error(`Chromium is missing at ${executablePath}: .ci/run installs it`)
  console.warn(
    `SKIPPED: the documentation page is not tested in a browser, Chromium is missing at ${executablePath}`
  )
}

/** A page whose every request, error and violation of the policy is written down. */
export const browserPage = Effect.gen(function* () {
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
  // The page draws for seconds; beside other tests for longer.
  page.setDefaultTimeout(90_000)
  const requested: Array<string> = []
  const complaints: Array<string> = []
  page.on("request", (request) => requested.push(request.url()))
  page.on("pageerror", (error) => complaints.push(error.message))
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()))
  return { context, page, requested, complaints }
})
