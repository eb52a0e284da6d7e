// The values of one conversation's slots: chosen by its seed, the same for every turn of it.
import { mix, Random } from "./Random.ts"
import type { Language } from "./Literals.ts"
import { DAY_MILLIS } from "./Calendar.ts"
import words from "./data/slot-words.json" with { type: "json" }

// Things are masculine, so that their nominative is their accusative too; prices are in hryvnias. Streets keep their form after
// any preposition.
export const { months } = words

/** The topic of a conversation, and the time at which it began (epoch milliseconds). */
export interface SlotContext {
  readonly seed: number
  readonly language: Language
  readonly at: number
  readonly company: string
  /** The client's first name in the form of address. */
  readonly name: string
  readonly email: string
  readonly contract: string
  /** The full name of the operator that a line speaks of. */
  readonly operator: string
}

type SlotMaker = (random: Random, context: SlotContext) => string

const money = (amount: number, language: Language): string =>
  language === "en" ? `UAH ${amount}` : `${amount} грн`

const day = (millis: number, language: Language): string => {
  const date = new Date(millis)
  return `${date.getUTCDate()} ${months[language].ofDay[date.getUTCMonth()] ?? ""}`
}

/** The month before the conversation: bills and statements speak of it. */
const lastMonth = (at: number): number => (new Date(at).getUTCMonth() + 11) % 12

const address: SlotMaker = (random, { language }) => {
  const street = random.pick(words.streets[language])
  const house = random.int(1, 148)
  const flat = random.int(1, 180)
  return language === "en" ? `${house} ${street}, apt. ${flat}` : `${street}, ${house}, кв. ${flat}`
}

const makers: Readonly<Record<string, SlotMaker>> = {
  name: (_, context) => context.name,
  operator: (_, context) => context.operator,
  company: (_, context) => context.company,
  contract: (_, context) => context.contract,
  email: (_, context) => context.email,
  appeal: (random) => random.digits(8),
  request: (random) => random.digits(7),
  payment: (random) => random.digits(9),
  code: (random) => random.digits(8),
  order: (random) => random.digits(6),
  parcel: (random) => `59${random.digits(12)}`,
  serial: (random) => `SN${random.digits(8)}`,
  amount: (random, { language }) => money(random.int(89, 690), language),
  total: (random, { language }) => money(random.int(700, 2400), language),
  // Of the product that the same talk names, with what shops change in a season.
  price: (random, { language }) => {
    const { price } = random.pick(words.products[language])
    return money(Math.round((price * random.int(92, 108)) / 1000) * 10 - 1, language)
  },
  fee: (random, { language }) => money(random.int(6, 30) * 5, language),
  date: (random, { at, language }) => day(at - random.int(3, 13) * DAY_MILLIS, language),
  later: (random, { at, language }) => day(at - random.int(1, 2) * DAY_MILLIS, language),
  next: (random, { at, language }) => day(at + random.int(1, 4) * DAY_MILLIS, language),
  deadline: (random, { at, language }) => day(at + random.int(5, 14) * DAY_MILLIS, language),
  month: (_, { at, language }) => months[language].alone[lastMonth(at)] ?? "",
  monthIn: (_, { at, language }) => months[language].within[lastMonth(at)] ?? "",
  // Never eleven: "о 11:00" would want another preposition in Ukrainian.
  time: (random) =>
    `${random.pick([8, 9, 10, 12, 13, 14, 15, 16, 17, 18, 19])}:${random.pick(["00", "05", "10", "15", "20", "30", "40", "45", "50"])}`,
  // As it stands after "between" in English; with its own preposition in the others.
  window: (random, { language }) => {
    const [from, to] = random.pick([
      [9, 11],
      [10, 12],
      [10, 13],
      [12, 14],
      [13, 16],
      [14, 16],
      [15, 18],
      [16, 18],
      [17, 19]
    ])
    return language === "en"
      ? `${from}:00 and ${to}:00`
      : `${language === "uk" ? "з" : "с"} ${from}:00 до ${to}:00`
  },
  last4: (random) => random.digits(4),
  phone: (random) =>
    `0${random.pick(["50", "63", "67", "68", "73", "93", "96", "97"])} ${random.digits(3)} ${random.digits(2)} ${random.digits(2)}`,
  speed: (random) => String(random.int(2, 48)),
  error: (random) => `E-${random.digits(3)}`,
  branch: (random) => String(random.int(1, 240)),
  product: (random, { language }) => random.pick(words.products[language]).nominative,
  productGen: (random, { language }) => random.pick(words.products[language]).genitive,
  device: (random) => random.pick(words.devices),
  handset: (random) => random.pick(words.handsets),
  mobilePlan: (random, { language }) => random.pick(words.mobileTariffs[language]),
  router: (random) => random.pick(words.routers),
  plan: (random, { language }) => words.tariffs[language][random.int(0, 4)] ?? "",
  planNew: (random, { language }) => words.tariffs[language][random.int(5, 9)] ?? "",
  tv: (random, { language }) => random.pick(words.channels[language]),
  city: (random, { language }) => random.pick(words.cities[language]).name,
  cityIn: (random, { language }) => random.pick(words.cities[language]).within,
  address,
  street: (random, { language }) => random.pick(words.streets[language])
}

/** Slots that tell one thing in two forms draw the same numbers. */
const sameAs: Readonly<Record<string, string>> = { productGen: "product", price: "product", cityIn: "city" }

const draws = new Map(Object.keys(makers).map((name, i) => [name, i]))

/** The value of a slot in a conversation; an unknown slot throws. */
export const slotValue = (name: string, context: SlotContext): string => {
  const make = makers[name]
  if (make === undefined) throw new RangeError(`unknown slot ${name}`)
  return make(new Random(mix(context.seed, draws.get(sameAs[name] ?? name) ?? 0)), context)
}
