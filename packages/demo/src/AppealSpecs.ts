// The appeals of the demo data by day: client, subject, operators and outcome.
import type { AppealSpec } from "./Appeals.ts"
import { DAY_MILLIS, DAYS, dayStart, HOUR_MILLIS, businessTimeOf, perDay } from "./Calendar.ts"
import type { ClientPerson } from "./Clients.ts"
import { fixedIds, skillGroups, type Staff } from "./Company.ts"
import type { DemoInstance } from "./DemoInstance.ts"
import type { Extent } from "./DemoExtents.ts"
import type { DialoguePlan } from "./DialoguePlan.ts"
import { dialoguePlans } from "./Dialogues.ts"
import { type FixedAppeal, fixedAppeals } from "./FixedAppeals.ts"
import type { Random } from "./Random.ts"
import type { Language } from "./Literals.ts"
import type { Outcome } from "./TalkTimes.ts"

const SALT = 5005

const nextPlan = (demo: DemoInstance, alias: string, language: Language): DialoguePlan => {
  const key = `${alias} ${language}`
  const count = demo.planCounts.get(key) ?? 0
  demo.planCounts.set(key, count + 1)
  const plans = dialoguePlans(alias, language)
  const plan = plans[(count * 7) % plans.length]
  if (plan === undefined) throw new RangeError(`no dialogue plans for ${key}`)
  return plan
}

const operatorsOf = (demo: DemoInstance, subjectId: number, atDaysAgo: number): ReadonlyArray<Staff> => {
  const groups = skillGroups(demo.company.instance.id).filter((group) => group.subjectIds.includes(subjectId))
  return demo.staff.filter(
    (user) =>
      user.role === "operator" &&
      user.groupIds.some((id) => groups.some((group) => group.id === id)) &&
      (!user.left || atDaysAgo > 250)
  )
}

const outcomeOf = (
  open: Extent["open"],
  daysAgo: number,
  kind: "chat" | "ticket",
  random: Random
): Outcome => {
  const share = open.find(([days]) => daysAgo < days)?.[1] ?? 0
  if (!random.chance(share)) return kind === "ticket" && random.chance(0.12) ? "resolved" : "closed"
  return random.weighted(["active", "postponed", "waiting", "silent"] as const, [
    45,
    18,
    35,
    kind === "chat" ? 2 : 0
  ])
}

const clientAt = (demo: DemoInstance, at: number): ClientPerson => {
  const ids = demo.extent.clientIds
  const own: ReadonlyArray<number> = [fixedIds.client, fixedIds.longChatsClient]
  for (;;) {
    const client = demo.clients.get(ids[Math.floor(demo.random.next() ** 1.4 * ids.length)] ?? -1)
    if (client !== undefined && client.row.createdAt < at && !own.includes(client.row.id)) return client
  }
}

// Billing, outages and speed are what people write about most.
const subjectWeights: Readonly<Record<string, number>> = {
  billing: 1.35,
  outage: 1.2,
  speed: 1.1,
  television: 0.8,
  account: 0.85
}

const ordinary = (demo: DemoInstance, id: number, createdAt: number): AppealSpec => {
  const { random } = demo
  const client = clientAt(demo, createdAt)
  const subject = random.weighted(
    demo.subjects,
    demo.subjects.map(({ alias }) => subjectWeights[alias] ?? 1)
  )
  const kind = random.chance(0.7) ? "chat" : "ticket"
  const daysAgo = (demo.midnight - createdAt) / DAY_MILLIS
  const operators = operatorsOf(demo, subject.id, daysAgo)
  const first = random.pick(operators)
  const others = operators.filter((user) => user.id !== first.id)
  return {
    id,
    kind,
    client,
    subjectId: subject.id,
    plans: [nextPlan(demo, subject.alias, client.row.language)],
    createdAt,
    operators: others.length > 0 && random.chance(0.1) ? [first, random.pick(others)] : [first],
    outcome: outcomeOf(demo.extent.open, daysAgo, kind, random),
    messageCount: null,
    note: null
  }
}

const fixedSpec = (demo: DemoInstance, fixed: FixedAppeal, createdAt: number): AppealSpec => {
  const client = demo.clients.get(fixed.clientId)
  const subject = demo.subjects.find(({ id }) => id === fixed.subjectId)
  const plans = fixed.languages.flatMap((language) => dialoguePlans(subject?.alias ?? "", language))
  const [plan, ...rest] = fixed.messageCount === null ? plans.slice(fixed.plan, fixed.plan + 1) : plans
  const [first, ...others] = fixed.operatorIds.flatMap(
    (id) => demo.staff.find((user) => user.id === id) ?? []
  )
  if (client === undefined || plan === undefined || first === undefined)
    throw new RangeError(`fixed appeal ${fixed.id}`)
  const { id, kind, subjectId, outcome, messageCount, note = null } = fixed
  const own = { id, kind, subjectId, outcome, messageCount, note }
  return { ...own, client, plans: [plan, ...rest], createdAt, operators: [first, ...others] }
}

/** The appeals that begin on each day, oldest first; ordinary ids rise with time and leave the fixed ones out. */
export function* appealSpecs(demo: DemoInstance): Generator<AppealSpec> {
  const { company, extent, midnight, random } = demo
  const fixed = company.instance.id === fixedIds.instance ? fixedAppeals : []
  const taken = new Set(fixedAppeals.map(({ id }) => id))
  let id = extent.firstAppealId
  for (const [day, count] of perDay(
    extent.appeals,
    midnight,
    extent.growth,
    SALT + company.instance.id
  ).entries()) {
    const start = dayStart(midnight, day)
    const today = fixed.filter(({ daysAgo }) => DAYS - daysAgo === day)
    const begun = [
      ...Array.from({ length: count }, () => ({ at: businessTimeOf(start, random), fixed: null })),
      ...today.map((one) => ({ at: start + random.int(8 * HOUR_MILLIS, 14 * HOUR_MILLIS), fixed: one }))
    ].toSorted((a, b) => a.at - b.at)
    for (const one of begun) {
      if (one.fixed !== null) yield fixedSpec(demo, one.fixed, one.at)
      else {
        while (taken.has(id)) id++
        yield ordinary(demo, id++, one.at)
      }
    }
  }
}
