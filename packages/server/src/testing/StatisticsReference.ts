// A slow and simple model of the statistics: by dialogue, quarter of an hour and minute. Shares no code with the service.

export interface ReferenceMessage {
  readonly authorType: "client" | "operator" | "bot"
  readonly authorId: number | null
  readonly at: number
}
export interface ReferenceDialogue {
  readonly id: number
  readonly subjectId: number | null
  readonly operatorId: number | null
  readonly channel: string | null
  readonly createdAt: number
  readonly closedAt: number | null
  readonly kind: "chat" | "ticket"
  readonly isOutgoing: boolean
  readonly reopenings: number
  readonly messages: ReadonlyArray<ReferenceMessage>
}
export interface ReferenceCalendar {
  readonly timezone: string
  readonly weekly: ReadonlyArray<{ readonly day: number; readonly from: string; readonly to: string }>
  readonly holidays: ReadonlyArray<string>
}

const MINUTE = 60_000
const QUARTER = 15 * MINUTE
const weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]

/** Local date and time in the zone. */
const localTime = (timezone: string) => {
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone: timezone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    weekday: "short",
    hour: "2-digit",
    minute: "2-digit",
    timeZoneName: "longOffset"
  })
  return (at: number) => {
    const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]))
    return {
      date: `${parts["year"]}-${parts["month"]}-${parts["day"]}`,
      month: `${parts["year"]}-${parts["month"]}`,
      weekday: weekdays.indexOf(parts["weekday"] ?? "") + 1,
      time: `${parts["hour"]}:${parts["minute"]}`,
      hour: `${parts["hour"]}`,
      offset: `${parts["timeZoneName"]}`
    }
  }
}

/** The start of the hour, day, week or month of a time, found by going back in quarters of an hour. */
export const bucketsOf = (interval: string, timezone: string) => {
  const clock = localTime(timezone)
  const known = new Map<string, number>()
  const label = (at: number): string => {
    const { date, hour, month, offset, weekday } = clock(at)
    if (interval === "hour") return `${date} ${hour} ${offset}`
    if (interval === "day") return date
    if (interval === "month") return month
    return new Date(Date.parse(date) - (weekday - 1) * 86_400_000).toISOString()
  }
  return (at: number): number => {
    let start = Math.floor(at / QUARTER) * QUARTER
    const name = label(start)
    const found = known.get(name)
    if (found !== undefined) return found
    while (label(start - QUARTER) === name) start -= QUARTER
    known.set(name, start)
    return start
  }
}

/** Milliseconds of [from, to) within the calendar's hours, counted by minute until they exceed `enough`. */
export const makeWorkedMillis = (calendar: ReferenceCalendar | null) => {
  if (calendar === null) return (from: number, to: number) => to - from
  if (calendar.weekly.length === 0) return () => 0
  const clock = localTime(calendar.timezone)
  const known = new Map<number, boolean>()
  const works = (minute: number): boolean => {
    const seen = known.get(minute)
    if (seen !== undefined) return seen
    const { date, time, weekday } = clock(minute * MINUTE)
    const found =
      !calendar.holidays.includes(date) &&
      calendar.weekly.some(({ day, from, to }) => day === weekday && from <= time && time < to)
    known.set(minute, found)
    return found
  }
  return (from: number, to: number, enough: number) => {
    let worked = 0
    for (let minute = Math.floor(from / MINUTE); minute * MINUTE < to && worked <= enough; minute++) {
      if (works(minute)) worked += Math.min(to, (minute + 1) * MINUTE) - Math.max(from, minute * MINUTE)
    }
    return worked
  }
}

const earliest = (
  { messages }: ReferenceDialogue,
  author: ReferenceMessage["authorType"],
  from: number
): number | null => {
  const times = messages
    .filter(({ at, authorType }) => authorType === author && at >= from)
    .map(({ at }) => at)
  return times.length === 0 ? null : Math.min(...times)
}
/** When the client began to wait for an answer, and for the end; null: they do not wait. */
export const waitsForAnswer = (dialogue: ReferenceDialogue): number | null =>
  dialogue.isOutgoing ? earliest(dialogue, "client", -Infinity) : dialogue.createdAt
export const waitsForEnd = (dialogue: ReferenceDialogue): number | null =>
  dialogue.kind === "chat" ? waitsForAnswer(dialogue) : dialogue.createdAt

export const firstAnswer = (dialogue: ReferenceDialogue): number | null =>
  earliest(dialogue, "operator", dialogue.isOutgoing ? (waitsForAnswer(dialogue) ?? Infinity) : -Infinity)

/** Six decimals, halves up, of the fifteen digits that a double represents exactly. */
const roundDecimals = (value: number): number => Math.round(Number((value * 1e6).toPrecision(15))) / 1e6
const percentile = (sorted: ReadonlyArray<number>, fraction: number): number => {
  const place = fraction * (sorted.length - 1)
  const [low, high] = [sorted[Math.floor(place)] ?? 0, sorted[Math.ceil(place)] ?? 0]
  return low + (high - low) * (place - Math.floor(place))
}
const durationOf = (millis: ReadonlyArray<number>) => {
  if (millis.length === 0) return { avg: null, p50: null, p90: null }
  const sorted = millis.toSorted((a, b) => a - b)
  const sum = millis.reduce((total, value) => total + value, 0)
  return {
    avg: roundDecimals(sum / millis.length / 1_000),
    p50: roundDecimals(percentile(sorted, 0.5) / 1_000),
    p90: roundDecimals(percentile(sorted, 0.9) / 1_000)
  }
}

const elapsedTimes = (from: number | null, to: number | null): ReadonlyArray<number> =>
  from === null || to === null ? [] : [Math.max(0, to - from)]

export const dialogueMetrics = (dialogues: ReadonlyArray<ReferenceDialogue>, ofOperator: boolean) => {
  const closed = dialogues.filter(({ closedAt }) => closedAt !== null)
  const count = ofOperator ? { dialogues: dialogues.length } : { count: dialogues.length }
  return {
    ...count,
    closed: closed.length,
    open: dialogues.length - closed.length,
    messages: dialogues.reduce(
      (total, { messages, operatorId }) =>
        total +
        messages.filter(
          ({ authorId, authorType }) => !ofOperator || (authorType === "operator" && authorId === operatorId)
        ).length,
      0
    ),
    tfr: durationOf(dialogues.flatMap((d) => elapsedTimes(waitsForAnswer(d), firstAnswer(d)))),
    ttc: durationOf(dialogues.flatMap((d) => elapsedTimes(waitsForEnd(d), d.closedAt))),
    outgoing: dialogues.filter(({ isOutgoing }) => isOutgoing).length,
    reopenings: dialogues.reduce((total, { reopenings }) => total + reopenings, 0)
  }
}

/** Whether a dialogue meets a target; null: it is not counted. */
export const verdictOf = (
  worked: (from: number, to: number, enough: number) => number,
  targetSec: number,
  { closedAt }: ReferenceDialogue,
  startedAt: number | null,
  endedAt: number | null,
  now: number
): "met" | "breached" | "running" | null => {
  if (startedAt === null) return null
  const target = targetSec * 1_000
  const over = worked(startedAt, endedAt ?? closedAt ?? now, target) > target
  if (over) return "breached"
  if (endedAt !== null) return "met"
  return closedAt === null ? "running" : null
}
export const targetMetrics = (verdicts: ReadonlyArray<ReturnType<typeof verdictOf>>) => {
  const number = (of: string) => verdicts.filter((one) => one === of).length
  const [met, breached] = [number("met"), number("breached")]
  return {
    met,
    breached,
    running: number("running"),
    metRate: met + breached === 0 ? null : roundDecimals(met / (met + breached))
  }
}
