// RAPPORT_S3_URL with its related settings: the bucket that has the bytes of files.
import { Redacted } from "effect"
import type { EnvironmentReader } from "./EnvironmentReader.ts"

export type S3Settings = NonNullable<ReturnType<typeof s3SettingsOf>>

/** The URL is the bucket with an optional prefix; keys of objects are added to its path. */
export const s3SettingsOf = (read: EnvironmentReader) => {
  const url = read.url("RAPPORT_S3_URL", ["http", "https"])
  const region = read.textOr("RAPPORT_S3_REGION", "us-east-1")
  const accessKey = read.text("RAPPORT_S3_ACCESS_KEY")
  const secretKey = read.secret("RAPPORT_S3_SECRET_KEY")
  if (url === undefined) return undefined
  if (accessKey === undefined) read.refuse("RAPPORT_S3_ACCESS_KEY", "is missing: RAPPORT_S3_URL is set")
  if (secretKey === undefined) read.refuse("RAPPORT_S3_SECRET_KEY", "is missing: RAPPORT_S3_URL is set")
  return accessKey === undefined || secretKey === undefined
    ? undefined
    : { url: Redacted.value(url), region, accessKey, secretKey }
}
