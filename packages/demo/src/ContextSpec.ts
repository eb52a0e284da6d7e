// The inputs of the context data of one client of the demo, shared by its states, actions and sessions.
import type { ClientPerson } from "./Clients.ts"
import { type Company, fixedIds, type Staff, type Subject } from "./Company.ts"
import { slotValue } from "./Slots.ts"
import type { TalkWriter } from "./Talk.ts"

/** An appeal of the client that actions and sessions may name. */
export interface NamedAppeal {
  readonly id: number
  readonly subjectId: number
  readonly createdAt: number
}

export interface ContextSpec {
  readonly client: ClientPerson
  readonly company: Company
  readonly subjects: ReadonlyArray<Subject>
  readonly operators: ReadonlyArray<Staff>
  readonly appeals: ReadonlyArray<NamedAppeal>
  readonly midnight: number
  readonly writer: TalkWriter
}

/** Client 501 has every kind of context data. */
export const hasEverything = (spec: ContextSpec): boolean => spec.client.row.id === fixedIds.client

export type Slot = (name: string) => string

export const slotsAt = (spec: ContextSpec, seed: number, at: number): Slot => {
  const { client, company } = spec
  const language = client.row.language
  const name = client.addressIn(language)
  const email = client.email
  return (slot) =>
    slotValue(slot, {
      seed,
      language,
      at,
      company: company.brand,
      name,
      email,
      contract: client.contract,
      operator: ""
    })
}
