// The use cases of instances, for the command line.
import { NewPassword } from "@rapport/contract/access/NewPassword.ts"
import { NotFound, UniqueConflict } from "@rapport/contract/Errors.ts"
import { NAME_POINTS_MAX } from "@rapport/contract/Limits.ts"
import { isOfLength, isVisible } from "@rapport/contract/values/Checks.ts"
import { collectFaults } from "@rapport/contract/values/CollectFaults.ts"
import { storedLogin } from "@rapport/contract/values/Members.ts"
import { composedText } from "@rapport/contract/values/NormalForm.ts"
import { Context, Effect, Layer, Redacted, Schema } from "effect"
import { InstanceStore } from "./InstanceStore.ts"
import { Passwords } from "./Passwords.ts"
import { isCountry } from "../clients/Contacts.ts"
import { invalidRequest, requireNoViolations } from "../receipts/Writes.ts"

export interface InstanceRequest {
  readonly name: string
  readonly adminLogin: string
  readonly adminPassword: Redacted.Redacted
  /** The id to give it, for seeds: instance 1 of an empty database. */
  readonly id?: number
}

const Name = Schema.String.check(isOfLength(1, NAME_POINTS_MAX), isVisible)
const NewInstance = Schema.Struct({ name: Name, adminLogin: Name, adminPassword: NewPassword })

export class Instances extends Context.Service<Instances>()("core/access/Instances", {
  make: Effect.gen(function* () {
    const store = yield* InstanceStore
    const passwords = yield* Passwords
    return {
      /** UniqueConflict if the login is in use: logins are unique in the whole service (contract §2). */
      create: Effect.fn("Instances.create")(function* ({ adminPassword, id, ...request }: InstanceRequest) {
        const adminLogin = storedLogin(request.adminLogin)
        const name = composedText(request.name)
        const given = { name, adminLogin, adminPassword: Redacted.value(adminPassword) }
        const faults = collectFaults(NewInstance, given)
        yield* requireNoViolations(faults.map(({ message, path }) => ({ path, message })))
        const adminPasswordHash = yield* Effect.catchTag(
          passwords.hash(adminPassword),
          "RateLimited",
          Effect.die
        )
        const made = yield* store.create({ id: id ?? null, name, adminLogin, adminPasswordHash })
        if (made === "login_taken")
          return yield* new UniqueConflict({ detail: `the login ${adminLogin} is in use` })
        return made
      }),
      list: store.list,
      /** Switches the context capability (contract §3.4); every process applies it from its next request. */
      setCapability: Effect.fn("Instances.setCapability")(function* (instanceId: number, enabled: boolean) {
        if (!(yield* store.setCapability(instanceId, enabled)))
          return yield* new NotFound({ detail: `there is no instance ${instanceId}` })
      }),
      /** Sets the country whose national phones the instance writes (contract §9, "Clients"), as ISO 3166-1 alpha-2. */
      setPhoneCountry: Effect.fn("Instances.setPhoneCountry")(function* (
        instanceId: number,
        country: string
      ) {
        if (!isCountry(country))
          return yield* invalidRequest([
            { path: "country", message: "must be a country code of ISO 3166-1, such as UA" }
          ])
        if (!(yield* store.setPhoneCountry(instanceId, country)))
          return yield* new NotFound({ detail: `there is no instance ${instanceId}` })
      })
    }
  })
}) {
  static readonly layer = Layer.effect(Instances, Instances.make)
}
