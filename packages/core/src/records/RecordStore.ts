// Port of models and their records in the primary database (contract §9.2).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { UniqueConflict } from "@rapport/contract/Errors.ts"
import type { Collection } from "@rapport/contract/lists/Collection.ts"
import type { Model, ModelField } from "@rapport/contract/records/Model.ts"
import type { CustomRecord } from "@rapport/contract/records/CustomRecord.ts"
import { Context } from "effect"
import type { ListFilter, ListRequest, ListRows } from "../lists/ListRequest.ts"
import type { Listed, Stored } from "../lists/Stored.ts"

/** `id` is given once for ever: a field that goes and one of its name that comes later share no values. */
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
/** By the id of the field; an empty value is left out. Dates and times are texts in their normal form. */
export type StoredValues = Readonly<Record<string, Scalar>>
export interface StoredRecord extends Omit<CustomRecord, "values" | "model"> {
  readonly values: StoredValues
}

/** A record that was found under lock, with what its values are to be. */
export interface RecordChange extends Pick<StoredRecord, "id" | "values"> {
  readonly before: StoredValues
}

/** How UniqueConflict says that another record has the value of a unique field. */
export const takenDetail = (field: string): string => `values.${field} is taken`

/** What a value of an ASSOCIATION names, and its path in the request. */
export interface Association {
  readonly target: string
  readonly id: number
  readonly path: string
}

/** What a search asks of a record. */
export type Where =
  | { readonly and: ReadonlyArray<Where> }
  | { readonly or: ReadonlyArray<Where> }
  | ListFilter

export interface RecordList {
  readonly model: StoredModel
  readonly collection: Collection
  readonly request: ListRequest
  readonly where: Where | null
  /** False where no caller reads the total. */
  readonly counted: boolean
}

/** Which model is held still until the transaction ends: for its records to be written, or to be changed itself. */
export type Hold = "none" | "records" | "change"

/** Writes run in a transaction. Nothing of another instance is ever found. */
export class RecordStore extends Context.Service<
  RecordStore,
  {
    readonly createModel: (
      session: AuthorizedSession,
      model: Omit<Model, "version">
    ) => Stored<StoredModel, UniqueConflict>
    readonly findModel: (
      session: AuthorizedSession,
      name: string,
      hold: Hold
    ) => Stored<StoredModel | undefined>
    readonly listModels: Listed
    /** Fields keep the ids of their names; UniqueConflict where values of a field that became unique are not. */
    readonly updateModel: (
      session: AuthorizedSession,
      found: StoredModel,
      next: Model
    ) => Stored<StoredModel, UniqueConflict>
    /** False where it has records or a field of another model names it. */
    readonly removeModel: (session: AuthorizedSession, model: StoredModel) => Stored<boolean>
    /** Names of the models among these that there are. */
    readonly knownModels: (
      session: AuthorizedSession,
      names: ReadonlyArray<string>
    ) => Stored<ReadonlyArray<string>>
    readonly insert: (
      session: AuthorizedSession,
      model: StoredModel,
      records: ReadonlyArray<StoredValues>
    ) => Stored<ReadonlyArray<StoredRecord>, UniqueConflict>
    /** In this order. */
    readonly change: (
      session: AuthorizedSession,
      model: StoredModel,
      records: ReadonlyArray<RecordChange>
    ) => Stored<ReadonlyArray<StoredRecord>, UniqueConflict>
    readonly find: (
      session: AuthorizedSession,
      model: StoredModel,
      id: number,
      lock: boolean
    ) => Stored<StoredRecord | undefined>
    /** Locked, by the text of their unique value. */
    readonly findByKey: (
      session: AuthorizedSession,
      model: StoredModel,
      field: StoredField,
      keys: ReadonlyArray<Scalar>
    ) => Stored<ReadonlyArray<StoredRecord>>
    /** "named" where another record names it; the record is locked. */
    readonly remove: (
      session: AuthorizedSession,
      model: StoredModel,
      id: number
    ) => Stored<"removed" | "named" | "unknown">
    /** Clients that stand for these ids, and stay so until the transaction ends: of a merged one, its survivor. */
    readonly survivors: (
      session: AuthorizedSession,
      ids: ReadonlyArray<number>
    ) => Stored<ReadonlyMap<number, number>>
    /** Those that are not the caller's to name; a named record stays until the transaction ends. */
    readonly unusable: (
      session: AuthorizedSession,
      named: ReadonlyArray<Association>
    ) => Stored<ReadonlyArray<Association>>
    readonly list: (session: AuthorizedSession, list: RecordList) => Stored<ListRows>
  }
>()("core/records/RecordStore") {}

/** As a record is shown: every field, null where it is empty. */
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
  fields: fields.map((field) => ({
    name: field.name,
    type: field.type,
    required: field.required,
    unique: field.unique,
    rules: field.rules,
    target: field.target
  })),
  version
})
