// The clients of the demo data: names, languages, channels and manners of writing.
import { businessTimeOf, DAYS, dayStart } from "./Calendar.ts"
import { type Company, fixedIds } from "./Company.ts"
import words from "./data/slot-words.json" with { type: "json" }
import type { Language } from "./Literals.ts"
import { latinNameOf, type PersonName, personName } from "./People.ts"
import { Random } from "./Random.ts"

const { tariffs } = words

const SALT = 1001

const addressInOf =
  (uk: string, ru: string, en: string): PersonName["addressIn"] =>
  (language) =>
    ({ uk, ru, en })[language]

// Clients with ids that contract §11 fixes; 502 is a firm whose manager writes for it.
const known: Readonly<Record<number, PersonName & { readonly display?: string }>> = {
  [fixedIds.client]: {
    first: "Олена",
    last: "Коваленко",
    gender: "f",
    addressIn: addressInOf("Олено", "Елена", "Olena")
  },
  [fixedIds.longChatsClient]: {
    first: "Степан",
    last: "Гнатюк",
    gender: "m",
    display: "ТОВ «Агроцентр Лан», Степан Гнатюк",
    addressIn: addressInOf("Степане", "Степан", "Stepan")
  },
  [fixedIds.foreignClient]: {
    first: "Лілія",
    last: "Гончар",
    gender: "f",
    addressIn: addressInOf("Ліліє", "Лилия", "Liliia")
  }
}

const chatIdOf = (channel: string, id: number, random: Random): string => {
  switch (channel) {
    case "telegram":
      return String(300_000_000 + id * 7919)
    case "viber":
      return `vb${(id * 104729).toString(36)}${random.digits(6)}=`
    case "webchat":
      return `web-${id}-${random.digits(6)}`
    default:
      return `38067${String(1_000_000 + id)}`
  }
}

const identitiesOf = (random: Random, id: number, email: string) => {
  const first = random.weighted(["telegram", "viber", "webchat", "whatsapp"], [5, 3, 2.5, 1])
  const second = random.pick(["telegram", "viber", "webchat", "whatsapp"])
  const channels =
    id === fixedIds.client ? ["telegram", "viber", "webchat"] : random.chance(0.4) ? [first, second] : [first]
  const identity = (channel: string, chatId: string) => {
    const subscribed = random.chance(0.92)
    // Some unsubscribed from Telegram, the others blocked the bot.
    const hasBlocked = channel === "telegram" && !subscribed && id % 2 === 1
    return { channel, chatId, subscribed, unsubscribedReason: hasBlocked ? "blocked" : null }
  }
  const chats = [...new Set(channels)].map((channel) => identity(channel, chatIdOf(channel, id, random)))
  return random.chance(0.7) || id === fixedIds.client ? [...chats, identity("email", email)] : chats
}

const segmentOf = (id: number, random: Random) =>
  id === fixedIds.longChatsClient
    ? "business"
    : id === fixedIds.client
      ? "vip"
      : random.weighted(["home", "business", "vip"] as const, [85, 10, 5])

/** The client with this id, the same in every size of the demo. */
export const clientPerson = (id: number, company: Company, midnight: number) => {
  const random = new Random(SALT, id)
  const given = known[id]
  const language = given === undefined ? random.weighted<Language>(["uk", "ru", "en"], [45, 30, 25]) : "uk"
  const name = given ?? personName(random, language)
  const segment = segmentOf(id, random)
  const latin = `${latinNameOf(name.first)}.${latinNameOf(name.last)}`
  const email = `${latin}${id}@example.${random.pick(["com", "org", "net"])}`
  const old = id <= fixedIds.foreignClient || random.chance(0.6)
  const day = old ? -random.int(1, 900) : random.int(0, DAYS - 20)
  const createdAt = businessTimeOf(dayStart(midnight, day), random)
  const apostrophe =
    language === "en" ? random.weighted(["'", "’"], [8, 2]) : random.weighted(["'", "’", "ʼ"], [5, 3, 2])
  const display = (given?.display ?? `${name.first} ${name.last}`).replaceAll("'", apostrophe)
  return {
    row: {
      instanceId: company.instance.id,
      id,
      name: display,
      emails: random.chance(0.85) || given !== undefined ? [email] : [],
      phones: random.chance(0.9)
        ? [`+380${random.pick(["50", "63", "67", "68", "73", "93", "96"])}${random.digits(7)}`]
        : [],
      externalId: random.chance(0.75) || given !== undefined ? `crm-${String(id).padStart(6, "0")}` : null,
      language,
      tags: [
        ...(segment === "home" ? [] : [segment]),
        ...(random.chance(0.08) ? ["debtor"] : []),
        ...(old ? [] : ["new"])
      ],
      identities: identitiesOf(random, id, email),
      createdAt
    },
    gender: name.gender,
    /** The mail address that the client gives in messages, also if it is not on file. */
    email,
    contract: `${company.contractPrefix}-${200_000 + ((id * 7919) % 700_000)}`,
    tariff: random.pick(tariffs[language]),
    segment,
    addressIn: name.addressIn,
    apostrophe,
    /** Whether messages begin with a small letter, and whether they end without a full stop. */
    smallLetters: given === undefined && random.chance(0.12),
    noFullStop: given === undefined && random.chance(0.3)
  }
}
export type ClientPerson = ReturnType<typeof clientPerson>
