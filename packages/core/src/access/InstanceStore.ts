// Port of the instances (tenants) of the service.
import { Context } from "effect"
import type { Country } from "../clients/Contacts.ts"
import type { StoreEffect } from "../lists/StoreMethods.ts"

/** `createdAt` in epoch milliseconds. */
export interface Instance {
  readonly id: number
  readonly name: string
  readonly capabilityEnabled: boolean
  readonly contextStoreReady: boolean
  readonly createdAt: number
}

/** `id` null: the store chooses one. */
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
    /** Creates instance, ticket statuses and administrator in one transaction; "login_taken": nothing was created. */
    readonly create: (instance: NewInstance) => StoreEffect<MadeInstance | "login_taken">
    /** All of them by id: a service has few. */
    readonly list: StoreEffect<ReadonlyArray<Instance>>
    /** False if there is no such instance. */
    readonly setCapability: (instanceId: number, enabled: boolean) => StoreEffect<boolean>
    /** The same; rewrites the normal forms of all phones in one transaction. */
    readonly setPhoneCountry: (instanceId: number, country: Country) => StoreEffect<boolean>
  }
>()("core/access/InstanceStore") {}
