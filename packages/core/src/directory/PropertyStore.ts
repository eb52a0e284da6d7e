// Port of property definitions and values in the primary database.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { PropertyDefinition, PropertyEntity } from "@rapport/contract/directory/PropertiesApi.ts"
import type { UniqueConflict } from "@rapport/contract/Errors.ts"
import { Context, type Schema } from "effect"
import type { RecordMethods, StoreEffect } from "../lists/StoreMethods.ts"

/** Values by the names of their definitions. */
export type Values = Readonly<Record<string, Schema.Json>>

export class PropertyStore extends Context.Service<
  PropertyStore,
  {
    readonly definitions: RecordMethods<PropertyDefinition, UniqueConflict>
    /** Visible values of a record whose pack the caller may open; else undefined. */
    readonly readValues: (
      session: AuthorizedSession,
      entity: PropertyEntity,
      id: number
    ) => StoreEffect<Values | undefined>
    /** Locks the record until the transaction ends; returns the definitions that the caller may see. */
    readonly openValues: (
      session: AuthorizedSession,
      entity: PropertyEntity,
      id: number
    ) => StoreEffect<
      { readonly id: number; readonly definitions: ReadonlyArray<PropertyDefinition> } | undefined
    >
    /** Merges values (null removes); returns the values that the caller may see. */
    readonly writeValues: (
      session: AuthorizedSession,
      entity: PropertyEntity,
      id: number,
      values: Values
    ) => StoreEffect<Values>
  }
>()("core/directory/PropertyStore") {}
