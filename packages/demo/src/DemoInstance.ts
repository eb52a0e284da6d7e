// One instance while its demo data are generated, and one client of it.
import { clientPerson, type ClientPerson } from "./Clients.ts"
import { type Company, fixedIds, staff, subjectList } from "./Company.ts"
import type { Extent } from "./DemoExtents.ts"
import { Random } from "./Random.ts"
import { TalkWriter } from "./Talk.ts"

const SALT = 5005

/** Returns 1, 2, 3 and so on. */
export const counter = () => {
  let count = 0
  return (): number => ++count
}

export const demoInstance = (
  company: Company,
  extent: Extent,
  midnight: number,
  nextMessageId = counter()
) => ({
  company,
  extent,
  midnight,
  clients: new Map(extent.clientIds.map((id) => [id, clientPerson(id, company, midnight)])),
  subjects: subjectList(company.instance.id),
  staff: staff(company.instance.id),
  writer: new TalkWriter(company.brand),
  random: new Random(SALT, company.instance.id),
  nextTicketNumber: counter(),
  nextMessageId,
  /** The number of dialogues by subject and language, so that its plans alternate. */
  planCounts: new Map<string, number>()
})
export type DemoInstance = ReturnType<typeof demoInstance>

/** An appeal of the client that actions and sessions may name. */
export interface NamedAppeal {
  readonly id: number
  readonly subjectId: number
  readonly createdAt: number
}

/** The context data of a client draw from the random numbers of the client. */
export const demoClient = (
  demo: DemoInstance,
  client: ClientPerson,
  appeals: ReadonlyArray<NamedAppeal>
) => ({
  ...demo,
  client,
  operators: demo.staff.filter((user) => user.role === "operator" && !user.left),
  appeals,
  random: new Random(SALT, client.row.id),
  /** Client 501 has every kind of context data. */
  hasEverything: client.row.id === fixedIds.client
})
export type DemoClient = ReturnType<typeof demoClient>
