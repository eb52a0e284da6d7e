// Port of the instances of the service, each a tenant of its own.
import { Context } from "effect"
import type { Stored } from "../lists/Stored.ts"

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
    readonly create: (instance: NewInstance) => Stored<MadeInstance | "login_taken">
    /** All of them by id: a service has few. */
    readonly list: Stored<ReadonlyArray<Instance>>
    /** False where there is no such instance. */
    readonly setCapability: (instanceId: number, enabled: boolean) => Stored<boolean>
  }
>()("core/access/InstanceStore") {}
