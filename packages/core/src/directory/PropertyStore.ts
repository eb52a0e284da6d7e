// Port of property definitions and values in the primary database.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type {
  PropertyDefinition,
  PropertyEntity,
  PropertyPatch,
  PropertyRequest
} from "@rapport/contract/directory/PropertiesApi.ts"
import type { UniqueConflict } from "@rapport/contract/Errors.ts"
import { Context } from "effect"
import type { Found, Listed, Stored } from "../lists/Stored.ts"

type Values = Readonly<Record<string, unknown>>

export class PropertyStore extends Context.Service<
  PropertyStore,
  {
    readonly create: (
      session: AuthorizedSession,
      request: PropertyRequest
    ) => Stored<PropertyDefinition, UniqueConflict>
    readonly find: Found<PropertyDefinition>
    readonly list: Listed
    /** Undefined where there is none; nothing is written where nothing would change. */
    readonly update: (
      session: AuthorizedSession,
      id: number,
      patch: PropertyPatch
    ) => Stored<PropertyDefinition | undefined>
    /** Of a record whose pack the caller may open, else undefined. Only properties the caller may see. */
    readonly readValues: (
      session: AuthorizedSession,
      entity: PropertyEntity,
      id: number
    ) => Stored<Values | undefined>
    /** The record that may be written to, held until the transaction ends, and the definitions the writer may see. */
    readonly openValues: (
      session: AuthorizedSession,
      entity: PropertyEntity,
      id: number
    ) => Stored<{ readonly id: number; readonly definitions: ReadonlyArray<PropertyDefinition> } | undefined>
    /** Merges; null removes. What the writer sees afterwards. */
    readonly writeValues: (
      session: AuthorizedSession,
      entity: PropertyEntity,
      id: number,
      values: Values
    ) => Stored<Values>
  }
>()("core/directory/PropertyStore") {}
