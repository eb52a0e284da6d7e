// A real Chromium for tests of the pages of the service.
import { Effect } from "effect"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { chromium } from "playwright-core"

const executablePath = process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium"

/** Tests of pages are skipped without Chromium, with one warning; with CI=true that is a failure. */
export const isChromiumMissing = !existsSync(executablePath)
if (isChromiumMissing) {
  if (process.env["CI"] === "true")
    throw new Error(`Chromium is missing at ${executablePath}: .ci/run installs it`)
  console.warn(
    `SKIPPED: the documentation page is not tested in a browser, Chromium is missing at ${executablePath}`
  )
}

/** A page that records its requests, errors and violations of the content policy. */
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
  // Rendering takes seconds, and longer in parallel with other tests.
  page.setDefaultTimeout(90_000)
  const requested: Array<string> = []
  const complaints: Array<string> = []
  page.on("request", (request) => requested.push(request.url()))
  page.on("pageerror", (error) => complaints.push(error.message))
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()))
  return { context, page, requested, complaints }
})
