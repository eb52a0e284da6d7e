// The normal forms of the phones and e-mail addresses of clients, by which they are compared (contract §9, "Clients").
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { type Client, ClientWarning } from "@rapport/contract/clients/ClientsApi.ts"
import { CLIENT_WARNINGS_MAX } from "@rapport/contract/Limits.ts"
import { type Country, emailForm, isCountry, phoneForm } from "@rapport/core/clients/Contacts.ts"
import type { ListFilter } from "@rapport/core/lists/ListRequest.ts"
import { Effect, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { idArray, type Sql } from "../sql/Fragment.ts"
import { hasRow, rowsOf, valuesOf } from "../sql/Query.ts"
import { callerOf, clientReadable } from "../sql/Visibility.ts"

type Contacts = Pick<Client, "emails" | "phones">
/** A row of client_contacts without its client. */
export interface Contact {
  readonly kind: "phone" | "email"
  readonly normalForm: string
}

const countryRows = valuesOf(Schema.String.pipe(Schema.refine(isCountry)))

/** A write locks it, so that no client is written with the forms of another country. */
export const countryOf = (
  sql: Sql,
  instanceId: number,
  lock: "" | "for key share" = ""
): Effect.Effect<Country, SqlError.SqlError> =>
  countryRows.get(sql`select phone_country from instances where id = ${instanceId} ${sql.literal(lock)}`)

export const contactsOf = ({ emails, phones }: Contacts, country: Country): ReadonlyArray<Contact> => [
  ...new Map(
    [
      ...phones.map((phone): Contact => ({ kind: "phone", normalForm: phoneForm(phone, country) })),
      ...emails.map((email): Contact => ({ kind: "email", normalForm: emailForm(email) }))
    ].map((contact) => [`${contact.kind} ${contact.normalForm}`, contact])
  ).values()
]

/** Replaces the contacts of a client; to be run in the transaction that writes it. */
export const writeContacts = Effect.fnUntraced(function* (
  sql: Sql,
  instanceId: number,
  id: number,
  client: Contacts
) {
  yield* replaceContacts(
    sql,
    instanceId,
    [{ ...client, id }],
    yield* countryOf(sql, instanceId, "for key share")
  )
})

const replaceContacts = Effect.fnUntraced(function* (
  sql: Sql,
  instanceId: number,
  clients: ReadonlyArray<Contacts & { readonly id: number }>,
  country: Country
) {
  const contacts = clients.flatMap((client) =>
    contactsOf(client, country).map((contact) => ({ ...contact, clientId: client.id }))
  )
  yield* sql`delete from client_contacts where instance_id = ${instanceId}
    and client_id = any(${idArray(clients.map(({ id }) => id))})`
  yield* sql`insert into client_contacts (instance_id, client_id, kind, normal_form)
    select ${instanceId}, * from unnest(${idArray(contacts.map(({ clientId }) => clientId))},
      ${contacts.map(({ kind }) => kind)}::text[], ${contacts.map(({ normalForm }) => normalForm)}::text[])`
})

const CLIENTS_PER_STATEMENT = 1_000
const contactOwners = rowsOf(
  Schema.Struct({ id: Schema.Int, emails: Schema.Array(Schema.String), phones: Schema.Array(Schema.String) })
)

/** Sets the country of an instance and rewrites the contacts of its clients. False if there is no such instance. */
export const setCountry = Effect.fnUntraced(function* (sql: Sql, instanceId: number, country: Country) {
  // Waits for writes of clients, and they for the commit.
  if (!(yield* hasRow(sql`select 1 from instances where id = ${instanceId} for update`))) return false
  yield* sql`update instances set phone_country = ${country} where id = ${instanceId}`
  for (let last: number | undefined = 0; last !== undefined;) {
    const clients: ReadonlyArray<Contacts & { readonly id: number }> =
      yield* contactOwners.all(sql`select id::float8 as id, emails, phones from clients
        where instance_id = ${instanceId} and id > ${last}::int8 and phones <> '{}' and merged_into_id is null
        order by id limit ${sql.literal(String(CLIENTS_PER_STATEMENT))}`)
    yield* replaceContacts(sql, instanceId, clients, country)
    last = clients.at(-1)?.id
  }
  return true
})

const warningRows = valuesOf(ClientWarning)

/** Clients of the same name that are compared with a new one; more share a name only if it names no person. */
const SAME_NAMES_MAX = 100

/** Other clients that the caller sees and that have one of the contacts or the same name: those with a contact first, then by id. */
export const possibleDuplicates = (
  sql: Sql,
  session: AuthorizedSession,
  id: number
): Effect.Effect<ReadonlyArray<ClientWarning>, SqlError.SqlError> =>
  warningRows.all(sql`with ${callerOf(session)}
    select json_build_object('code', 'POSSIBLE_DUPLICATE', 'clientId', c.id,
      'matches', json_agg(distinct other.kind order by other.kind desc)) as record
    from caller u cross join lateral (
      (select other.client_id, other.kind from client_contacts mine join client_contacts other
          on other.instance_id = mine.instance_id and other.kind = mine.kind and other.normal_form = mine.normal_form
        where mine.instance_id = u.instance_id and mine.client_id = ${id})
      union all
      (select other.id, 'name' from clients mine join clients other on other.instance_id = mine.instance_id
          and name_words(other.name) = name_words(mine.name)
        where mine.instance_id = u.instance_id and mine.id = ${id}
          and other.merged_into_id is null and other.erased_at is null
        order by other.id limit ${sql.literal(String(SAME_NAMES_MAX))})) other
      join clients c on c.instance_id = u.instance_id and c.id = other.client_id
    where c.id <> ${id} and ${clientReadable}
    group by c.id order by bool_and(other.kind = 'name'), c.id limit ${sql.literal(String(CLIENT_WARNINGS_MAX))}`)

/** Filters of `phone` and `email` find any of a client's, by the normal forms that `normalFilters` gives. */
export const amongContacts = (kind: Contact["kind"]) => ({
  column: "c.id",
  of: `select contact.client_id from client_contacts contact
    where contact.instance_id = (select instance_id from caller) and contact.kind = '${kind}' and contact.normal_form`
})

/** An identity is written `channel:chatId`. */
export const amongIdentities = {
  column: "c.id",
  of: `select identity.client_id from client_identities identity
    where identity.instance_id = (select instance_id from caller) and identity.channel || ':' || identity.chat_id`
}

const compared: ReadonlySet<string> = new Set(["eq", "ne", "in", "nin"])

/** Filters of clients with the normal forms of phones and e-mail addresses instead of their spellings. */
export const normalFilters = Effect.fnUntraced(function* (
  sql: Sql,
  instanceId: number,
  filters: ReadonlyArray<ListFilter>
): Effect.fn.Return<ReadonlyArray<ListFilter>, SqlError.SqlError> {
  const named = filters.filter(
    ({ field, operator }) => compared.has(operator) && ["phone", "email", "identities"].includes(field)
  )
  if (named.length === 0) return filters
  const country = yield* countryOf(sql, instanceId)
  return filters.map((filter) => {
    const { field, operator, value } = filter
    if (!named.includes(filter)) return filter
    return {
      field,
      operator: operator === "ne" || operator === "nin" ? "nin" : "in",
      value: [value].flat().flatMap((one) => normalForms(field, String(one), country))
    }
  })
})

const normalForms = (field: string, value: string, country: Country): ReadonlyArray<string> => {
  if (field === "phone") return [phoneForm(value, country)]
  if (field === "email") return [emailForm(value)]
  // Channels write phones as chat ids with or without the plus sign.
  const colon = value.indexOf(":") + 1
  const chatId = value.slice(colon)
  const form = /[a-z]/iu.test(chatId) ? chatId : phoneForm(chatId, country)
  return [value, ...[form, form.replace("+", "")].map((one) => `${value.slice(0, colon)}${one}`)]
}

/** The shortest part of a phone that `q` finds. */
const SEARCHED_DIGITS_MIN = 4

/** Condition on a client id: a phone has these digits. Undefined unless the text looks like a part of a phone. */
export const phoneSearch = Effect.fnUntraced(function* (
  sql: Sql,
  instanceId: number,
  text: string | null,
  clientId: string
) {
  if (text === null) return undefined
  const digits = text.replaceAll(/\D/gu, "").replace(/^0+/u, "")
  if (digits.length < SEARCHED_DIGITS_MIN || /[^\d\s()+./-]/u.test(text)) return undefined
  const form = phoneForm(text, yield* countryOf(sql, instanceId))
  return sql`${sql.literal(clientId)} = any(array(select contact.client_id from client_contacts contact
    where contact.instance_id = ${instanceId} and contact.kind = 'phone'
      and (contact.normal_form = ${form} or strpos(contact.normal_form, ${digits}) > 0)))`
})
