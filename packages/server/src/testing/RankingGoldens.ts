// Thirty queries on the demo data with the appeals that a user needs, chosen by reading the dialogues. The appeals are named by
// the generator, so the goldens hold for every day that the data counts back from.
import { contextTargets } from "@rapport/contract/context/ContextRequest.ts"
import { fixedIds } from "@rapport/demo/Company.ts"
import type { Language } from "@rapport/demo/Literals.ts"
import { months } from "@rapport/demo/Slots.ts"
import type { DemoAppeal } from "./DemoAppeals.ts"

type Appeals = ReadonlyArray<DemoAppeal>

export interface Golden {
  readonly language: Language
  readonly name: string
  /** The body of the context read without its query. */
  readonly read: {
    readonly scope: { readonly entity: "client" | "subject" | "skill_group"; readonly id: number }
    readonly targets: ReadonlyArray<(typeof contextTargets)[number]>
  }
  readonly query: (appeals: Appeals) => string
  /** The ids that must be wantsIds; at least one. */
  readonly wanted: (appeals: Appeals) => ReadonlyArray<number>
  /** How many other appeals may rank between them. */
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
const olena = relevant("client", fixedIds.client)
const support = relevant("skill_group", 1)
const shop = relevant("skill_group", 2)
const contracts = relevant("skill_group", 3)

const idsWhere = (test: (appeal: DemoAppeal) => boolean) => (appeals: Appeals) =>
  appeals.filter((appeal) => !appeal.isLong && test(appeal)).map(({ id }) => id)

/** Wants appeals with fixed ids. */
const wantsIds = (
  language: Language,
  name: string,
  read: Golden["read"],
  query: string,
  ids: ReadonlyArray<number>
): Golden => ({ language, name, read, query: () => query, wanted: () => ids, spare: 0 })

/** Wants all appeals of a plan: the same problem in different words. */
const wantsPlan = (
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

/** Wants the appeals of a day; the query names only the date. */
const wantsDay = (
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
const billedMonthOf = ({ text }: DemoAppeal): string => monthOfBill.exec(text)?.[1] ?? ""
const parcelOf = ({ text }: DemoAppeal): string => /59\d{12}/u.exec(text)?.[0] ?? ""

export const rankingGoldens: ReadonlyArray<Golden> = [
  wantsIds("uk", "подвійне списання", olena, "подвійні списання коштів з карток і повернення", [9006]),
  wantsIds("uk", "зайва послуга", olena, "зайві послуги в рахунках, яких ніхто не замовляв", [9008]),
  wantsIds("uk", "картка автоплатежу", olena, "нова картка для автоплатежів замість старої", [9009]),
  wantsIds("uk", "затримка зарплати", olena, "не встигне сплатити через затримку зарплати", [9013]),
  wantsIds("uk", "загублений телефон", olena, "блокування SIM-картки загубленого телефона", [9022]),
  // An appeal about a laptop with Wi-Fi and no internet may rank higher.
  wantsPlan("uk", "апостроф у слові", support, "камера не під’єднується до Wi-Fi", "equipment", 7, 1),
  wantsPlan("uk", "переоформлення", contracts, "переоформлення договорів, записаних на інших", "account", 4),
  {
    language: "uk",
    name: "місяць у тексті",
    read: ofSubject(fixedIds.subject),
    query: (appeals) => `подвійне списання з картки за ${billedMonthOf(byId(appeals, 9006))}`,
    wanted: (appeals) =>
      idsWhere(
        (a) =>
          a.subject === "billing" &&
          a.language === "uk" &&
          a.plan === 0 &&
          billedMonthOf(a) === billedMonthOf(byId(appeals, 9006))
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
  wantsDay(
    "uk",
    "день звернення",
    olena,
    (date) => `звернення від ${date}`,
    (all) => byId(all, 9016),
    isOlenas
  ),

  wantsPlan("ru", "точный час", shop, "курьер должен приехать к точному часу", "delivery", 4),
  wantsPlan("ru", "постамат", shop, "ячейки постаматов не открываются", "delivery", 7),
  wantsPlan("ru", "переход с номером", support, "перенос номеров от других операторов", "mobile", 0),
  wantsPlan("ru", "мобильный интернет", support, "жалобы на скорость мобильного интернета", "mobile", 1, 1),
  wantsPlan("ru", "подписки", support, "каждый день списывают деньги за платную подписку", "mobile", 4),
  wantsPlan("ru", "карта ребёнку", support, "детские карты, чтобы звонить домой", "mobile", 7),
  wantsPlan("ru", "возврат без чека", shop, "вернуть покупку без чека", "returns", 7),
  // An appeal about a received present or a packed parcel may rank higher.
  wantsPlan("ru", "подарок", shop, "подарочные упаковки с открытками", "orders", 7, 1),
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
  wantsDay(
    "ru",
    "день обращения",
    ofSubject(4),
    (date) => `обращение по номеру от ${date}`,
    (all) => one(all, "mobile", "ru", 0),
    (a) => a.subject === "mobile"
  ),

  wantsIds("en", "VAT invoice", olena, "invoices with VAT numbers for accountants", [9007]),
  wantsIds("en", "statement of payments", olena, "stamped statements of last year's payments", [9010]),
  wantsIds("en", "bonus", olena, "bonuses for advance payments never credited", [9011]),
  wantsIds("en", "weak Wi-Fi", olena, "only one bar of Wi-Fi far from the router", [9015]),
  wantsIds("en", "refund for a router", olena, "routers returned, refunds not arrived", [9018]),
  wantsIds("en", "login code", olena, "login codes do not arrive by text", [9021]),
  wantsIds("en", "picture", olena, "pictures breaking into squares", [9023]),
  wantsPlan("en", "storm", support, "whole house offline after storms", "outage", 7),
  wantsPlan("en", "leaving early", contracts, "penalties for leaving before the year is over", "tariffs", 7),
  wantsDay(
    "en",
    "day of the talk",
    olena,
    (date) => `request of ${date}`,
    (all) => byId(all, 9021),
    isOlenas
  )
]

const ofOlena = (name: string, query: string, id: number): Golden => wantsIds("uk", name, olena, query, [id])

/** Ukrainian and Russian as people write: inflected verbs, apostrophes, surzhyk, the wrong keyboard layout, another language. */
export const slavicGoldens: ReadonlyArray<Golden> = [
  ofOlena("дієслово: списати", "двічі списали кошти з картки, поверніть подвійне списання", 9006),
  ofOlena("дієслово: замовляти", "послугу, яку не замовляла, додали в рахунок", 9008),
  ofOlena("дієслово: сплачувати", "не встигаю сплатити, бо затримують зарплату", 9013),
  ofOlena("дієслово: загубити", "загубила телефон, заблокуйте картку", 9022),
  ofOlena("дієслово: замінити", "змінити картку для автоплатежу на нову", 9009),
  ofOlena("розкладка: списання", "gjldsqyt cgbcfyyz rjinsd", 9006),
  ofOlena("розкладка: послуга", "pfqdf gjckeuf d hf[eyre", 9008),
  ofOlena("розкладка: зарплата", "pfnhbvrf pfhgkfnb", 9013),
  ofOlena("розкладка: телефон", "pfue,ktybq ntktajy", 9022),
  ofOlena("латиницею: списання", "podviyne spysannya koshtiv", 9006),
  ofOlena("латиницею: зарплата", "zatrymka zarplaty", 9013),
  ofOlena("латиницею: телефон", "zahublenyy telefon", 9022),
  ofOlena("одна хиба: списання", "подвійне спсиання коштів", 9006),
  ofOlena("одна хиба: зарплата", "затрмка зарплати", 9013),
  ofOlena("одна хиба: автоплатіж", "нова картка для автоплтежів", 9009),
  ofOlena("схожі літери", "зaтpимкa зapплaти", 9013),
  ofOlena("м'який перенос", "подвій\u00adне списан\u00adня кош\u00adтів", 9006),
  ofOlena("російською: зарплата", "не успею оплатить, задержали зарплату", 9013),
  ofOlena("російською: телефон", "заблокировать SIM-карту потерянного телефона", 9022),
  ofOlena("російською: картка", "новая карта для автоплатежей", 9009),
  ofOlena("суржик: телефон", "потєряла тєлєфон, заблокіруйте сімку загубленого телефона", 9022),
  ofOlena("суржик: зарплата", "зарплату задержали, не успєю заплатить", 9013),
  wantsPlan("uk", "апостроф ʼ", support, "камера не підʼєднується до Wi-Fi", "equipment", 7, 1),
  wantsPlan("uk", "апостроф '", support, "камера не під'єднується до Wi-Fi", "equipment", 7, 1),
  wantsPlan("uk", "переоформити", contracts, "переоформити договір, записаний на іншого", "account", 4),
  wantsPlan("ru", "курьер приедет", shop, "курьеры приезжают к точному часу", "delivery", 4),
  wantsPlan("ru", "постамат не открывается", shop, "не открылась ячейка постамата", "delivery", 7),
  wantsPlan("ru", "перенести номер", support, "перенести номер от другого оператора", "mobile", 0),
  wantsPlan(
    "ru",
    "списали за подписку",
    support,
    "каждый день списывает деньги платная подписка",
    "mobile",
    4
  ),
  wantsPlan("ru", "детям звонить", support, "детская карта, чтобы дети звонили домой", "mobile", 7),
  wantsPlan("ru", "вернуть без чека", shop, "возвращают ли покупки без чека", "returns", 7),
  wantsPlan("ru", "подарки", shop, "подарочная упаковка с открыткой", "orders", 7, 1),
  wantsPlan("ru", "раскладка: посылка", shop, "zxtqrf gjcnfvfnf yt jnrhsdftncz", "delivery", 7),
  wantsPlan("ru", "раскладка: подписка", support, "gkfnyfz gjlgbcrf cgbcsdf.n rf;lsq ltym", "mobile", 4)
]

/**
 * Wanted appeals that are missing among the first places of a ranking (ids, best first): as many places as wanted appeals and
 * `spare` more. Long appeals, which mention everything, and the same dialogue in another language do not count.
 */
export const missedIds = (golden: Golden, appeals: Appeals, ranking: ReadonlyArray<number>) => {
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
