// A real S3-compatible server (moto) of the machine on a free port, with one bucket.
import { AwsClient } from "aws4fetch"
import { Effect, Redacted, Schedule } from "effect"
import { spawn, spawnSync } from "node:child_process"
import type { S3Settings } from "../config/S3Settings.ts"
import { freePort } from "./SharedDatabaseFixtures.ts"

/** Its tests are skipped without moto, with one warning; with CI=true that is a failure. */
export const isS3Missing = spawnSync("moto_server", ["--help"]).status !== 0
if (isS3Missing) {
  if (process.env["CI"] === "true") throw new Error("no moto_server is installed: .ci/run installs it")
  console.warn("SKIPPED: files in S3 are not tested, there is no moto_server")
}

export const runningS3 = Effect.gen(function* () {
  const port = yield* freePort
  yield* Effect.acquireRelease(
    Effect.sync(() => spawn("moto_server", ["-H", "127.0.0.1", "-p", String(port)], { stdio: "ignore" })),
    (server) =>
      Effect.promise(async () => {
        const ended = new Promise((resolve) => server.once("exit", resolve))
        server.kill("SIGKILL")
        await ended
      })
  )
  const settings: S3Settings = {
    url: `http://127.0.0.1:${port}/files/prefix`,
    region: "eu-central-1",
    accessKey: "test",
    secretKey: Redacted.make("test")
  }
  const client = new AwsClient({
    accessKeyId: "test",
    secretAccessKey: "test",
    service: "s3",
    region: settings.region
  })
  const body = `<CreateBucketConfiguration><LocationConstraint>${settings.region}</LocationConstraint></CreateBucketConfiguration>`
  yield* Effect.tryPromise(() =>
    client.fetch(`http://127.0.0.1:${port}/files`, { method: "PUT", body })
  ).pipe(Effect.retry({ schedule: Schedule.spaced("100 millis"), times: 200 }))
  return {
    settings,
    /** Keys of all objects. */
    list: Effect.promise(async () => {
      const answer = await client.fetch(`http://127.0.0.1:${port}/files?list-type=2`)
      return [...(await answer.text()).matchAll(/<Key>([^<]*)<\/Key>/gu)].map(([, key]) => key ?? "")
    })
  }
})
