// When the lines of a talk are said, and how far the talk has come in an appeal that is still open.
import { HOUR_MILLIS, MINUTE_MILLIS, workingTimeOf } from "./Calendar.ts"
import type { Random } from "./Random.ts"
import type { Line } from "./Talk.ts"

/** How an appeal stands now; `waiting` has no operator yet, `silent` not even a message. */
export const outcomes = ["closed", "resolved", "active", "postponed", "waiting", "silent"] as const
export type Outcome = (typeof outcomes)[number]

export interface PlacedLine extends Line {
  readonly at: number
}

const inChat = (line: Line, random: Random): number => {
  switch (line.voice) {
    case "bot":
      return random.int(1_000, 4_000)
    case "system":
      return random.int(8_000, 90_000)
    case "operator":
      return random.int(20_000, 5 * MINUTE_MILLIS)
    case "client":
      return random.chance(0.08) ? random.int(10, 45) * MINUTE_MILLIS : random.int(12_000, 4 * MINUTE_MILLIS)
  }
}

/** The lines of a talk that begins at `from`: minutes apart in a chat, hours and working days in a ticket. */
export const place = (
  lines: ReadonlyArray<Line>,
  kind: "chat" | "ticket",
  from: number,
  random: Random
): Array<PlacedLine> => {
  let at = from
  return lines.map((line, i) => {
    if (kind === "chat") at += i === 0 ? 0 : inChat(line, random)
    else if (i > 0) {
      const step =
        line.voice === "system" ? random.int(5_000, 60_000) : random.int(25 * MINUTE_MILLIS, 14 * HOUR_MILLIS)
      at = Math.max(workingTimeOf(at + step, random), at + MINUTE_MILLIS)
    }
    return { ...line, at }
  })
}

const firstAnswer = (lines: ReadonlyArray<PlacedLine>): number => {
  const index = lines.findIndex((line) => line.voice === "operator")
  return index < 0 ? lines.length : index
}

/** The lines up to now of an appeal with this outcome. */
export const cutLines = (lines: Array<PlacedLine>, outcome: Outcome, random: Random): Array<PlacedLine> => {
  const answer = firstAnswer(lines)
  switch (outcome) {
    case "closed":
    case "resolved":
      return lines
    case "silent":
      return []
    case "waiting": {
      const until = lines.findIndex((line) => line.voice === "operator" || line.voice === "system")
      return lines.slice(0, until < 1 ? answer : until)
    }
    case "active": {
      const talk = lines.filter((line) => !line.ending)
      return talk.slice(0, Math.min(talk.length, answer + random.int(1, 5)))
    }
    case "postponed": {
      const answers = lines.flatMap((line, i) => (line.voice === "operator" && !line.ending ? [i] : []))
      return lines.slice(0, (answers[random.int(1, answers.length) - 1] ?? answer) + 1)
    }
  }
}
