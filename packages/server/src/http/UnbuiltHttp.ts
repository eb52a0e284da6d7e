// Groups of the Api whose rooms are still being built: they fail loudly, and this file goes when they are there.
import { Api } from "@rapport/contract/Api.ts"
import { Effect, Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"

const unbuilt = () => Effect.die(new Error("this room is not built yet"))

export const unbuiltLayer = Layer.mergeAll(
  HttpApiBuilder.group(Api, "context", (handlers) =>
    handlers.handle("retrieve", unbuilt).handle("readiness", unbuilt)
  )
)
