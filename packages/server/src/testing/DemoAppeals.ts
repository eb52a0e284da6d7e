// The appeals of the small demo with their subject and plan, by which tests name the appeals that a query must find.
import { makeAppeal } from "@rapport/demo/Appeals.ts"
import { appealSpecs } from "@rapport/demo/AppealSpecs.ts"
import { companies } from "@rapport/demo/Company.ts"
import { extents } from "@rapport/demo/DemoExtents.ts"
import { demoInstance } from "@rapport/demo/DemoInstance.ts"
import { dialoguePlans } from "@rapport/demo/Dialogues.ts"
import type { Language } from "@rapport/demo/Literals.ts"

/** An appeal of instance 1 and its dialogue. */
export interface DemoAppeal {
  readonly id: number
  readonly clientId: number
  readonly subject: string
  readonly language: Language
  /** Which plan of the subject in that language, from 0. */
  readonly plan: number
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Its title and messages, a line each. */
  readonly text: string
  /** An appeal of thousands of messages, which mentions everything about its subject. */
  readonly isLong: boolean
}

/** The appeals of instance 1 of the small demo seeded on the day of `midnight` (UTC, epoch milliseconds). */
export const demoAppeals = (midnight: number): ReadonlyArray<DemoAppeal> => {
  const [company] = companies
  const extent = extents.small[1]
  if (company === undefined || extent === undefined) throw new RangeError("the small demo has no instance 1")
  const demo = demoInstance(company, extent, midnight)
  return [...appealSpecs(demo)].map((spec) => {
    const [plan] = spec.plans
    const { appeal, messages } = makeAppeal(demo, spec)
    return {
      id: spec.id,
      clientId: spec.client.row.id,
      subject: plan.subjectAlias,
      language: plan.language,
      plan: dialoguePlans(plan.subjectAlias, plan.language).indexOf(plan),
      createdAt: spec.createdAt,
      text: [appeal.title ?? "", ...messages.map(({ text }) => text)].join("\n"),
      isLong: spec.messageCount !== null
    }
  })
}
