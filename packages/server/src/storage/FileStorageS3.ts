// Bytes of files in a bucket of S3 or a compatible store. Requests are signed by aws4fetch (Signature Version 4).
import { type FilePlace, FileStorage } from "@rapport/core/files/FileStorage.ts"
import { AwsClient } from "aws4fetch"
import { Effect, Layer, Redacted, Stream } from "effect"
import * as fs from "node:fs"
import type { S3Settings } from "../config/S3Settings.ts"
import { attempt, withSpooledFile, storageFailure, uploadsFolder } from "./Spool.ts"

/** Retries of a request that the store answers with 429 or 5xx. */
const RETRIES = 2
/** A request to the store that takes longer is aborted, without the time for the bytes of an answer. */
const REQUEST_MILLIS_MAX = 20_000

export const layer = (dataDir: string, { accessKey, region, secretKey, url }: S3Settings) =>
  Layer.sync(FileStorage, () => {
    const client = new AwsClient({
      accessKeyId: accessKey,
      secretAccessKey: Redacted.value(secretKey),
      service: "s3",
      region,
      retries: RETRIES
    })
    const base = url.replace(/\/$/u, "")
    const send = (place: FilePlace, init: RequestInit) =>
      attempt((signal) => client.fetch(`${base}/${place.instanceId}/${place.id}`, { ...init, signal })).pipe(
        Effect.timeoutOrElse({
          duration: REQUEST_MILLIS_MAX,
          orElse: () => Effect.fail(storageFailure(new Error("the store did not answer in time")))
        })
      )
    return FileStorage.of({
      // One request with a known length and hash, which every compatible store takes.
      put: (place, bytes) =>
        withSpooledFile(uploadsFolder(dataDir), place.id, bytes, (file, { sha256 }) =>
          Effect.flatMap(
            attempt(() => fs.openAsBlob(file)),
            (body) => send(place, { method: "PUT", body, headers: { "x-amz-content-sha256": sha256 } })
          ).pipe(Effect.flatMap(expectOk))
        ),
      read: Effect.fnUntraced(function* (place, { first, last }) {
        const response = yield* send(place, { headers: { range: `bytes=${first}-${last}` } })
        const { body } = response
        if (response.status === 404) return undefined
        if (!response.ok || body === null) return yield* failWithResponse(response)
        return Stream.fromReadableStream({ evaluate: () => body, onError: storageFailure })
      }),
      remove: (place) => Effect.flatMap(send(place, { method: "DELETE" }), expectOk)
    })
  })

const failWithResponse = (response: Response) =>
  Effect.flatMap(
    Effect.promise(() => response.text()),
    (text) =>
      Effect.fail(storageFailure(new Error(`the store answered ${response.status}: ${text.slice(0, 500)}`)))
  )

const expectOk = (response: Response) =>
  response.ok ? Effect.promise(async () => void (await response.body?.cancel())) : failWithResponse(response)
