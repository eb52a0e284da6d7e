// A pool of the embedded PostgreSQL that tenants share.
import { CurrentTenant, type TenantKey } from "@rapport/core/traffic/TenantQueue.ts"
import { Effect, Layer } from "effect"
import { EmbeddedPostgres } from "../postgres/connection/EmbeddedPostgres.ts"
import { fairPoolLayer, type FairPoolOptions } from "../postgres/connection/FairPool.ts"

export const fairPoolOf = (maxConnections: number, options: FairPoolOptions) =>
  Layer.unwrap(
    Effect.map(EmbeddedPostgres, ({ password, socketDir }) =>
      fairPoolLayer(
        { host: socketDir, username: "rapport", password, database: "postgres", maxConnections },
        options
      )
    )
  )

export const as =
  (tenant: TenantKey) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.provideService(effect, CurrentTenant, tenant)
