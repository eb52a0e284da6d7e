// Port of the instances of the service, each a tenant of its own.
import { Context, type Effect } from "effect"
import type { SourceUnavailable } from "../failures/SourceUnavailable.ts"

/** `createdAt` in epoch milliseconds. */
export interface Instance {
  readonly id: number
  readonly name: string
  readonly capabilityEnabled: boolean
  readonly contextStoreReady: boolean
  readonly createdAt: number
}

/** `id` is null where the store shall choose one. */
export interface NewInstance {
  readonly id: number | null
  readonly name: string
  readonly adminLogin: string
  readonly adminPasswordHash: string
}

export interface MadeInstance {
  readonly instanceId: number
  readonly administratorId: number
}

export class InstanceStore extends Context.Service<
  InstanceStore,
  {
    /** Instance, ticket statuses and administrator in one transaction, ready at its end; "login_taken" makes nothing. */
    readonly create: (instance: NewInstance) => Effect.Effect<MadeInstance | "login_taken", SourceUnavailable>
    /** All of them by id: a service has few. */
    readonly list: Effect.Effect<ReadonlyArray<Instance>, SourceUnavailable>
    /** False where there is no such instance. */
    readonly setCapability: (
      instanceId: number,
      enabled: boolean
    ) => Effect.Effect<boolean, SourceUnavailable>
  }
>()("core/access/InstanceStore") {}
