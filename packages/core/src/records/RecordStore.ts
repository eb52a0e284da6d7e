// Port of models and their records in the primary database (contract §9.2).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { UniqueConflict } from "@rapport/contract/Errors.ts"
import type { Collection } from "@rapport/contract/lists/Collection.ts"
import type { Model, ModelField } from "@rapport/contract/records/Model.ts"
import type { CustomRecord } from "@rapport/contract/records/CustomRecord.ts"
import { Context, Struct } from "effect"
import type { ListFilter, ListRequest, ListRows } from "../lists/ListRequest.ts"
import type { ListMethod, StoreEffect } from "../lists/StoreMethods.ts"

/** `id` is never reused: a later field of the same name does not get the values of a removed one. */
export interface StoredField extends ModelField {
  readonly id: number
}
export interface StoredModel extends Omit<Model, "fields"> {
  readonly id: number
  readonly fields: ReadonlyArray<StoredField>
}

export type Scalar = string | number | boolean
export const isScalar = (value: unknown): value is Scalar =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean"
/** Values by field id, without empty ones. Dates and times are texts in their normal form. */
export type StoredValues = Readonly<Record<string, Scalar>>
export interface StoredRecord extends Omit<CustomRecord, "values" | "model"> {
  readonly values: StoredValues
}

/** The next values of a locked record. */
export type RecordChange = Pick<StoredRecord, "id" | "values">

/** The detail of UniqueConflict for a unique field. */
export const uniqueValueDetail = (field: string): string => `values.${field} is in use`

/** A value of an ASSOCIATION with its path in the request. */
export interface Association {
  readonly target: string
  readonly id: number
  readonly path: string
}

export type RecordCondition =
  | { readonly and: ReadonlyArray<RecordCondition> }
  | { readonly or: ReadonlyArray<RecordCondition> }
  | ListFilter

export interface RecordList {
  readonly model: StoredModel
  readonly collection: Collection
  readonly request: ListRequest
  readonly where: RecordCondition | null
  /** Whether to count the total. */
  readonly counted: boolean
}

/** The lock of a model until the transaction ends: shared for writes of its records, exclusive for its change. */
export type ModelLock = "none" | "records" | "change"

/** Writes run in a transaction. Records of other instances are not found. */
export class RecordStore extends Context.Service<
  RecordStore,
  {
    readonly createModel: (
      session: AuthorizedSession,
      model: Omit<Model, "version">
    ) => StoreEffect<StoredModel, UniqueConflict>
    readonly findModel: (
      session: AuthorizedSession,
      name: string,
      lock: ModelLock
    ) => StoreEffect<StoredModel | undefined>
    readonly listModels: ListMethod
    /** Fields keep their ids by name. UniqueConflict if a field becomes unique and its values are not. */
    readonly updateModel: (
      session: AuthorizedSession,
      found: StoredModel,
      next: Model
    ) => StoreEffect<StoredModel, UniqueConflict>
    /** Returns false if the model has records or is the target of a field of another model. */
    readonly removeModel: (session: AuthorizedSession, model: StoredModel) => StoreEffect<boolean>
    /** The names that exist. */
    readonly knownModels: (
      session: AuthorizedSession,
      names: ReadonlyArray<string>
    ) => StoreEffect<ReadonlyArray<string>>
    readonly insert: (
      session: AuthorizedSession,
      model: StoredModel,
      records: ReadonlyArray<StoredValues>
    ) => StoreEffect<ReadonlyArray<StoredRecord>, UniqueConflict>
    /** Writes in the order of `records`. */
    readonly change: (
      session: AuthorizedSession,
      model: StoredModel,
      records: ReadonlyArray<RecordChange>
    ) => StoreEffect<ReadonlyArray<StoredRecord>, UniqueConflict>
    readonly find: (
      session: AuthorizedSession,
      model: StoredModel,
      id: number,
      lock: boolean
    ) => StoreEffect<StoredRecord | undefined>
    /** Locks the records with these unique values. */
    readonly findByKey: (
      session: AuthorizedSession,
      model: StoredModel,
      field: StoredField,
      keys: ReadonlyArray<Scalar>
    ) => StoreEffect<ReadonlyArray<StoredRecord>>
    /** Locks the record; "referenced" if another record references it. */
    readonly remove: (
      session: AuthorizedSession,
      model: StoredModel,
      id: number
    ) => StoreEffect<"removed" | "referenced" | "unknown">
    /** The survivors of these clients, locked against merges until the transaction ends. */
    readonly survivors: (
      session: AuthorizedSession,
      ids: ReadonlyArray<number>
    ) => StoreEffect<ReadonlyMap<number, number>>
    /** The associations that the caller may not use. Locks the others until the transaction ends. */
    readonly unusable: (
      session: AuthorizedSession,
      named: ReadonlyArray<Association>
    ) => StoreEffect<ReadonlyArray<Association>>
    readonly list: (session: AuthorizedSession, list: RecordList) => StoreEffect<ListRows>
  }
>()("core/records/RecordStore") {}

/** Every field; null if it is empty. */
export const shownValues = (
  fields: ReadonlyArray<StoredField>,
  values: Readonly<Record<string, unknown>>
): CustomRecord["values"] =>
  Object.fromEntries(
    fields.map(({ id, name }) => {
      const value = values[String(id)]
      return [name, isScalar(value) ? value : null]
    })
  )
export const shownRecord = (
  { fields, name }: StoredModel,
  { createdAt, id, updatedAt, values, version }: StoredRecord
): CustomRecord => ({ id, model: name, values: shownValues(fields, values), version, createdAt, updatedAt })

export const shownModel = ({ fields, label, name, version }: StoredModel): Model => ({
  name,
  label,
  fields: fields.map((field) => Struct.omit(field, ["id"])),
  version
})
