// Thirty questions about the demo data with the appeals that the user who asks them needs: read from the dialogues, not from what an
// engine answers. Which appeals those are follows from the generator, so that they hold whatever day the data counts back from.
import { contextTargets } from "@rapport/contract/context/ContextRequest.ts"
import { fixedIds } from "@rapport/demo/Company.ts"
import type { Language } from "@rapport/demo/SeedRows.ts"
import { months } from "@rapport/demo/SlotWords.ts"
import type { DemoAppeal } from "./DemoAppeals.ts"

type Appeals = ReadonlyArray<DemoAppeal>

export interface Golden {
  readonly language: Language
  readonly name: string
  /** The body of the context read but for its query. */
  readonly read: {
    readonly scope: { readonly entity: "client" | "subject" | "skill_group"; readonly id: number }
    readonly targets: ReadonlyArray<(typeof contextTargets)[number]>
  }
  readonly query: (appeals: Appeals) => string
  /** The ids that must be found; never none. */
  readonly wanted: (appeals: Appeals) => ReadonlyArray<number>
  /** How many others may be between them: none where the question leaves no doubt. */
  readonly spare: number
}

const relevant = (entity: "client" | "skill_group", id: number): Golden["read"] => ({
  scope: { entity, id },
  targets: ["relevant_appeals"]
})
const ofSubject = (id: number): Golden["read"] => ({
  scope: { entity: "subject", id },
  targets: ["relevant_subject_appeals"]
})
/** The twenty appeals of Olena Kovalenko: eleven in Ukrainian, nine in English. */
export const olena = relevant("client", fixedIds.client)
export const support = relevant("skill_group", 1)
export const shop = relevant("skill_group", 2)
export const contracts = relevant("skill_group", 3)

const idsWhere = (test: (appeal: DemoAppeal) => boolean) => (appeals: Appeals) =>
  appeals.filter((appeal) => !appeal.isLong && test(appeal)).map(({ id }) => id)

/** A talk at a fixed id. */
export const found = (
  language: Language,
  name: string,
  read: Golden["read"],
  query: string,
  ids: ReadonlyArray<number>
): Golden => ({ language, name, read, query: () => query, wanted: () => ids, spare: 0 })

/** All talks of a plan: the same problem in different words. */
export const told = (
  language: Language,
  name: string,
  read: Golden["read"],
  query: string,
  subject: string,
  plan: number,
  spare = 0
): Golden => ({
  language,
  name,
  read,
  query: () => query,
  wanted: idsWhere((a) => a.subject === subject && a.language === language && a.plan === plan),
  spare
})

const one = (appeals: Appeals, subject: string, language: Language, plan: number): DemoAppeal => {
  const appeal = appeals.find(
    (a) => !a.isLong && a.subject === subject && a.language === language && a.plan === plan
  )
  if (appeal === undefined) throw new RangeError(`no appeal about ${subject} ${plan} in ${language}`)
  return appeal
}
const byId = (appeals: Appeals, id: number): DemoAppeal => {
  const appeal = appeals.find((a) => a.id === id)
  if (appeal === undefined) throw new RangeError(`no appeal ${id}`)
  return appeal
}

const dayOf = (millis: number): string => new Date(millis).toISOString().slice(0, 10)
const inWords = (millis: number, language: Language): string => {
  const date = new Date(millis)
  const month = months[language].ofDay[date.getUTCMonth()] ?? ""
  return language === "en"
    ? `${month} ${date.getUTCDate()}, ${date.getUTCFullYear()}`
    : `${date.getUTCDate()} ${month} ${date.getUTCFullYear()}`
}

/** By the day on which it was written, with nothing said of its matter. */
const dated = (
  language: Language,
  name: string,
  read: Golden["read"],
  query: (date: string) => string,
  pick: (appeals: Appeals) => DemoAppeal,
  isInScope: (appeal: DemoAppeal) => boolean
): Golden => ({
  language,
  name,
  read,
  query: (appeals) => query(inWords(pick(appeals).createdAt, language)),
  wanted: (appeals) =>
    idsWhere((a) => isInScope(a) && dayOf(a.createdAt) === dayOf(pick(appeals).createdAt))(appeals),
  spare: 0
})
const isOlenas = (appeal: DemoAppeal): boolean => appeal.clientId === fixedIds.client

const monthOfBill = /^.*за (\p{L}+) з картки/imu
const billedFor = ({ text }: DemoAppeal): string => monthOfBill.exec(text)?.[1] ?? ""
const parcelOf = ({ text }: DemoAppeal): string => /59\d{12}/u.exec(text)?.[0] ?? ""

export const rankingGoldens: ReadonlyArray<Golden> = [
  found("uk", "подвійне списання", olena, "подвійні списання коштів з карток і повернення", [9006]),
  found("uk", "зайва послуга", olena, "зайві послуги в рахунках, яких ніхто не замовляв", [9008]),
  found("uk", "картка автоплатежу", olena, "нова картка для автоплатежів замість старої", [9009]),
  found("uk", "затримка зарплати", olena, "не встигне сплатити через затримку зарплати", [9013]),
  found("uk", "загублений телефон", olena, "блокування SIM-картки загубленого телефона", [9022]),
  // A laptop that is connected to Wi-Fi and has no internet may come before.
  told("uk", "апостроф у слові", support, "камера не під’єднується до Wi-Fi", "equipment", 7, 1),
  told("uk", "переоформлення", contracts, "переоформлення договорів, записаних на інших", "account", 4),
  {
    language: "uk",
    name: "місяць у тексті",
    read: ofSubject(fixedIds.subject),
    query: (appeals) => `подвійне списання з картки за ${billedFor(byId(appeals, 9006))}`,
    wanted: (appeals) =>
      idsWhere(
        (a) =>
          a.subject === "billing" &&
          a.language === "uk" &&
          a.plan === 0 &&
          billedFor(a) === billedFor(byId(appeals, 9006))
      )(appeals),
    spare: 0
  },
  {
    language: "uk",
    name: "ім'я операторки",
    read: olena,
    query: () => "розмови з Оксаною Лукʼяненко",
    wanted: idsWhere((a) => isOlenas(a) && /Лук.яненко/u.test(a.text)),
    spare: 0
  },
  dated(
    "uk",
    "день звернення",
    olena,
    (date) => `звернення від ${date}`,
    (all) => byId(all, 9016),
    isOlenas
  ),

  told("ru", "точный час", shop, "курьер должен приехать к точному часу", "delivery", 4),
  told("ru", "постамат", shop, "ячейки постаматов не открываются", "delivery", 7),
  told("ru", "переход с номером", support, "перенос номеров от других операторов", "mobile", 0),
  told("ru", "мобильный интернет", support, "жалобы на скорость мобильного интернета", "mobile", 1, 1),
  told("ru", "подписки", support, "каждый день списывают деньги за платную подписку", "mobile", 4),
  told("ru", "карта ребёнку", support, "детские карты, чтобы звонить домой", "mobile", 7),
  told("ru", "возврат без чека", shop, "вернуть покупку без чека", "returns", 7),
  // A present that a client was given and a parcel that is packed already may come before.
  told("ru", "подарок", shop, "подарочные упаковки с открытками", "orders", 7, 1),
  {
    language: "ru",
    name: "номер посылки",
    read: shop,
    query: (appeals) => `где посылка ${parcelOf(one(appeals, "delivery", "ru", 0))}`,
    wanted: (appeals) => {
      const parcel = parcelOf(one(appeals, "delivery", "ru", 0))
      return idsWhere((a) => a.text.includes(parcel))(appeals)
    },
    spare: 0
  },
  dated(
    "ru",
    "день обращения",
    ofSubject(4),
    (date) => `обращение по номеру от ${date}`,
    (all) => one(all, "mobile", "ru", 0),
    (a) => a.subject === "mobile"
  ),

  found("en", "VAT invoice", olena, "invoices with VAT numbers for accountants", [9007]),
  found("en", "statement of payments", olena, "stamped statements of last year's payments", [9010]),
  found("en", "bonus", olena, "bonuses for advance payments never credited", [9011]),
  found("en", "weak Wi-Fi", olena, "only one bar of Wi-Fi far from the router", [9015]),
  found("en", "refund for a router", olena, "routers returned, refunds not arrived", [9018]),
  found("en", "login code", olena, "login codes do not arrive by text", [9021]),
  found("en", "picture", olena, "pictures breaking into squares", [9023]),
  told("en", "storm", support, "whole house offline after storms", "outage", 7),
  told("en", "leaving early", contracts, "penalties for leaving before the year is over", "tariffs", 7),
  dated(
    "en",
    "day of the talk",
    olena,
    (date) => `request of ${date}`,
    (all) => byId(all, 9021),
    isOlenas
  )
]

/**
 * Whether a ranking (ids, best first) gives what is wanted: all of it within its number and `spare` places. Left out before
 * counting: appeals of thousands of messages, which mention everything, and the same dialogue in another language, which
 * is as good for the user.
 */
export const missedOf = (golden: Golden, appeals: Appeals, ranking: ReadonlyArray<number>) => {
  const wanted = new Set(golden.wanted(appeals))
  const plans = new Set([...wanted].map((id) => planOf(byId(appeals, id))))
  const isNeutral = (appeal: DemoAppeal): boolean =>
    !wanted.has(appeal.id) &&
    (appeal.isLong || (appeal.language !== golden.language && plans.has(planOf(appeal))))
  const neutral = new Set(appeals.filter(isNeutral).map(({ id }) => id))
  const first = ranking.filter((id) => !neutral.has(id)).slice(0, wanted.size + golden.spare)
  return [...wanted].filter((id) => !first.includes(id))
}
const planOf = ({ plan, subject }: DemoAppeal): string => `${subject} ${plan}`
