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

/** Requests that the server accepts unchecked: the bucket, a user, its policy and its key. It checks all other signatures. */
const UNCHECKED = "4"
const POLICY = JSON.stringify({
  Version: "2012-10-17",
  Statement: [{ Effect: "Allow", Action: "s3:*", Resource: "*" }]
})

export const runningS3 = Effect.gen(function* () {
  const port = yield* freePort
  const env = { ...process.env, INITIAL_NO_AUTH_ACTION_COUNT: UNCHECKED }
  yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn("moto_server", ["-H", "127.0.0.1", "-p", String(port)], { stdio: "ignore", env })
    ),
    (server) =>
      Effect.promise(async () => {
        const ended = new Promise((resolve) => server.once("exit", resolve))
        server.kill("SIGKILL")
        await ended
      })
  )
  const origin = `http://127.0.0.1:${port}`
  const region = "eu-central-1"
  const unchecked = { accessKeyId: "test", secretAccessKey: "test" }
  const body = `<CreateBucketConfiguration><LocationConstraint>${region}</LocationConstraint></CreateBucketConfiguration>`
  yield* Effect.tryPromise(() =>
    new AwsClient({ ...unchecked, service: "s3", region }).fetch(`${origin}/files`, { method: "PUT", body })
  ).pipe(Effect.retry({ schedule: Schedule.spaced("100 millis"), times: 200 }))
  const users = new AwsClient({ ...unchecked, service: "iam", region: "us-east-1" })
  const manage = (action: string, more: Readonly<Record<string, string>> = {}) =>
    Effect.promise(async () => {
      const query = { Action: action, Version: "2010-05-08", UserName: "rapport", ...more }
      const headers = { "content-type": "application/x-www-form-urlencoded" }
      const request = { method: "POST", headers, body: new URLSearchParams(query).toString() }
      return (await users.fetch(`${origin}/`, request)).text()
    })
  yield* manage("CreateUser")
  yield* manage("PutUserPolicy", { PolicyName: "all", PolicyDocument: POLICY })
  const key = yield* manage("CreateAccessKey")
  const member = (name: string) => new RegExp(`<${name}>([^<]+)<`, "u").exec(key)?.[1] ?? ""
  const settings: S3Settings = {
    url: `${origin}/files/prefix`,
    region,
    accessKey: member("AccessKeyId"),
    secretKey: Redacted.make(member("SecretAccessKey"))
  }
  const client = new AwsClient({
    accessKeyId: settings.accessKey,
    secretAccessKey: Redacted.value(settings.secretKey),
    service: "s3",
    region
  })
  return {
    settings,
    /** Keys of all objects. */
    list: Effect.promise(async () => {
      const answer = await client.fetch(`${origin}/files?list-type=2`)
      return [...(await answer.text()).matchAll(/<Key>([^<]*)<\/Key>/gu)].map(([, key]) => key ?? "")
    })
  }
})
