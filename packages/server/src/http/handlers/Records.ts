// The handlers that every kind of record has: list, get, create and change (contract §1.2, §1.3, §9).
import { type AuthorizedSession, CurrentSession } from "@rapport/contract/Authorization.ts"
import type { ChangeOf, IdempotencyKey } from "@rapport/core/lists/Records.ts"
import type { ListPage } from "@rapport/core/lists/ListRequest.ts"
import type { ListParameters } from "@rapport/core/lists/Pages.ts"
import type { OnceResult } from "@rapport/core/receipts/Receipts.ts"
import { Effect, type Stream } from "effect"
import { CSV, type DecodedQuery, fileAnswer, listParameters, pageAnswer } from "./ListParameters.ts"
import {
  type Conditional,
  type Keyed,
  keyIn,
  type ResponseMeta,
  setEtag,
  versionIn,
  setWriteHeaders
} from "./WriteHeaders.ts"

interface VersionedRecord {
  readonly version: number
}
interface CreatedRecord {
  readonly id: number
  readonly version?: number
}
interface Change {
  readonly expectedVersion?: number
}
interface RecordRequest {
  readonly params: { readonly id: number }
}

type UseCase<Input, A, E> = (session: AuthorizedSession, input: Input) => Effect.Effect<A, E>
type CreateUseCase<Request, A, E> = (
  session: AuthorizedSession,
  request: Request,
  key: IdempotencyKey
) => Effect.Effect<OnceResult<A>, E>

/** A page of records, rendered by the store. */
export const listHandler = <E>(list: UseCase<ListParameters, ListPage, E>) =>
  Effect.fnUntraced(function* ({ query }: { readonly query: DecodedQuery }) {
    return pageAnswer(yield* list(yield* CurrentSession, yield* listParameters(query)))
  })

/** A page of the records that belong to another one. */
export const nestedListHandler = <Params, E, R>(
  list: (
    session: AuthorizedSession,
    params: Params,
    parameters: ListParameters
  ) => Effect.Effect<ListPage, E, R>
) =>
  Effect.fnUntraced(function* ({ params, query }: { readonly params: Params; readonly query: DecodedQuery }) {
    return pageAnswer(yield* list(yield* CurrentSession, params, yield* listParameters(query)))
  })

/** All records of a list as a file. */
export const exportHandler = <E, E2>(lines: UseCase<ListParameters, Stream.Stream<string, E2>, E>) =>
  Effect.fnUntraced(function* ({ query }: { readonly query: DecodedQuery }) {
    return fileAnswer(yield* lines(yield* CurrentSession, yield* listParameters(query)), CSV)
  })

/** Runs a use case on one record, such as its removal. */
export const byId =
  <A, E>(take: UseCase<number, A, E>) =>
  ({ params }: RecordRequest) =>
    Effect.flatMap(CurrentSession, (session) => take(session, params.id))

/** One record with its ETag. */
export const getHandler = <A extends VersionedRecord, E>(get: UseCase<number, A, E>) =>
  Effect.fnUntraced(function* ({ params }: RecordRequest) {
    return yield* setEtag(yield* get(yield* CurrentSession, params.id))
  })

interface Creation<Request> {
  readonly headers: Keyed
  readonly payload: Request
}
/** 201, or 200 for a replay, with the record, its ETag and its Location below the root. */
const createRecord = Effect.fnUntraced(function* <Request, A extends CreatedRecord, E>(
  root: string,
  create: CreateUseCase<Request, A, E>,
  { headers, payload }: Creation<Request>
) {
  const made = yield* create(yield* CurrentSession, payload, keyIn(headers))
  const { id, version } = made.answer
  const record = yield* setWriteHeaders(made, { status: 201, version, location: `${root}/${id}` })
  return { record, replayed: made.replayed }
})

/** Creates a record and answers with it. */
export const createHandler =
  <Request, A extends CreatedRecord, E>(root: string, create: CreateUseCase<Request, A, E>) =>
  (creation: Creation<Request>) =>
    Effect.map(createRecord(root, create, creation), ({ record }) => record)

/** Creates a record whose answer also has a replay flag in its body. */
export const namedCreateHandler =
  <Request, A extends CreatedRecord, E, Named extends object>(
    named: (record: A) => Named,
    root: string,
    create: CreateUseCase<Request, A, E>
  ) =>
  (creation: Creation<Request>) =>
    Effect.map(createRecord(root, create, creation), ({ record, replayed }) => ({
      replayed,
      ...named(record)
    }))

/** Answers with what a write returns, in a session. */
export const answerWrite = Effect.fnUntraced(function* <A, E, R>(
  write: (session: AuthorizedSession) => Effect.Effect<OnceResult<A>, E, R>,
  meta: (answer: A) => ResponseMeta = () => ({})
) {
  const made = yield* write(yield* CurrentSession)
  return yield* setWriteHeaders(made, meta(made.answer))
})

/** Changes a record by the members of the body. */
export const updateHandler =
  <Patch extends Change, A extends VersionedRecord, E>(
    update: (
      session: AuthorizedSession,
      id: number,
      expectedVersion: number,
      change: ChangeOf<Patch>,
      key: IdempotencyKey
    ) => Effect.Effect<OnceResult<A>, E>
  ) =>
  ({
    headers,
    params,
    payload
  }: RecordRequest & { readonly headers: Keyed & Conditional; readonly payload: Patch }) =>
    Effect.suspend(() => {
      const { expectedVersion, ...change } = payload
      return answerVersionedChange(expectedVersion, headers, (session, version) =>
        update(session, params.id, version, change, keyIn(headers))
      )
    })

/** Answers a write with the record and its ETag. */
export const answerChange = <A extends VersionedRecord, E, R>(
  write: (session: AuthorizedSession) => Effect.Effect<OnceResult<A>, E, R>
) => answerWrite(write, ({ version }) => ({ version }))

/** Changes the version that the body, If-Match or both expect. */
export const answerVersionedChange = <A extends VersionedRecord, E, R>(
  expectedVersion: number | undefined,
  headers: Conditional,
  write: (session: AuthorizedSession, version: number) => Effect.Effect<OnceResult<A>, E, R>
) =>
  Effect.flatMap(versionIn(expectedVersion, headers), (version) =>
    answerChange((session) => write(session, version))
  )
