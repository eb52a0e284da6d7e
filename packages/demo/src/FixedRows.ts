// Rows of the first company that are the same in every demo: calendars and targets, quality, the bot, models of custom data.
import { DAY_MILLIS } from "./Calendar.ts"
import rows from "./data/fixed-rows.json" with { type: "json" }

/** New Year, Independence Day and Christmas of the years that the demo lies in. */
const holidays = (midnight: number): ReadonlyArray<string> => {
  const last = new Date(midnight + DAY_MILLIS).getUTCFullYear()
  return [last - 2, last - 1, last].flatMap((year) => [`${year}-01-01`, `${year}-08-24`, `${year}-12-25`])
}

const { calendars, ...others } = rows
const { checklists, criteria, customModels } = others
export { criteria, customModels }

export const fixedRows = (instanceId: number, midnight: number) => {
  const ofInstance = <Row>(rows: ReadonlyArray<Row>) => rows.map((row) => ({ instanceId, ...row }))
  return {
    calendars: ofInstance(calendars.map((row) => ({ ...row, holidays: holidays(midnight) }))),
    slaTargets: ofInstance(others.slaTargets),
    criteria: ofInstance(criteria),
    checklists: ofInstance(checklists),
    bots: ofInstance(others.bots),
    botNodes: ofInstance(others.botNodes),
    customModels: ofInstance(customModels)
  }
}
