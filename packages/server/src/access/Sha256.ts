// SHA-256 by the machine: the hash of what packs show.
import { Sha256 } from "@rapport/core/json/Sha256.ts"
import { Layer } from "effect"
import { hash } from "node:crypto"

export const layer: Layer.Layer<Sha256> = Layer.succeed(Sha256, {
  hex: (text) => hash("sha256", text, "hex")
})
