// Links to files, signed with keys derived from RAPPORT_TOKEN_KEYS (contract §7, "Files").
import { linkRoot } from "@rapport/contract/files/FilesApi.ts"
import { FileLinks } from "@rapport/core/files/FileLinks.ts"
import { Effect, Layer } from "effect"
import { createHmac, type KeyObject, timingSafeEqual } from "node:crypto"
import { derivedKey, TokenKeys } from "../access/TokenKeys.ts"

const PURPOSE = "file links"

const signatureOf = (key: KeyObject, signed: string) => createHmac("sha256", key).update(signed).digest()

/** `<instance>.<id>.<expires>.<signature>` */
const LINK = /^([1-9]\d{0,15})\.([0-9a-f-]{36})\.(\d{1,12})\.([\w-]{43})$/u

/** `origin` is that of the service, as receivers reach it. */
export const layer = (origin: string): Layer.Layer<FileLinks, never, TokenKeys> =>
  Layer.effect(
    FileLinks,
    Effect.map(TokenKeys, ({ keys: [newest, ...older] }) => {
      const newestKey = derivedKey(newest.key, PURPOSE)
      const keys = [newestKey, ...older.map(({ key }) => derivedKey(key, PURPOSE))]
      return FileLinks.of({
        urlOf: ({ id, instanceId }, expires) => {
          const signed = `${instanceId}.${id}.${expires}`
          return `${origin}${linkRoot}/${signed}.${signatureOf(newestKey, signed).toString("base64url")}`
        },
        open: (link, now) => {
          const [, instanceId = "", id = "", expires = "", signature = ""] = LINK.exec(link) ?? []
          const sent = Buffer.from(signature, "base64url")
          const isSigned = keys.some((key) => {
            const expected = signatureOf(key, `${instanceId}.${id}.${expires}`)
            return sent.length === expected.length && timingSafeEqual(sent, expected)
          })
          return isSigned && Number(expires) * 1_000 > now
            ? { instanceId: Number(instanceId), id }
            : undefined
        }
      })
    })
  )
