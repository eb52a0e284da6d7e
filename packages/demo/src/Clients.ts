// The clients of the demo data: names, languages, channels and manners of writing.
import { DAY_MILLIS, DAYS, businessTimeOf } from "./Calendar.ts"
import { type Company, fixedIds } from "./Company.ts"
import { latinized, type PersonName, personName } from "./People.ts"
import type { Gender } from "./Phrase.ts"
import { Random } from "./Random.ts"
import type { ClientIdentity, ClientRow, Language } from "./SeedRows.ts"
import { tariffs } from "./SlotWords.ts"

const SALT = 1001

export interface ClientPerson {
  readonly row: ClientRow
  readonly gender: Gender
  /** The mail address that the client gives in messages, also if it is not on file. */
  readonly email: string
  readonly contract: string
  readonly tariff: string
  readonly segment: "home" | "business" | "vip"
  /** How the client is spoken to in a language. */
  readonly addressIn: (language: Language) => string
  readonly apostrophe: string
  /** Whether messages begin with a small letter, and whether they end without a full stop. */
  readonly smallLetters: boolean
  readonly noFullStop: boolean
}

interface Known {
  readonly name: PersonName
  readonly display?: string
  readonly language: Language
  readonly addresses: Readonly<Record<Language, string>>
}

// Clients with ids that contract §11 fixes; 502 is a firm whose manager writes for it.
const known: Readonly<Record<number, Known>> = {
  [fixedIds.client]: {
    name: { first: "Олена", last: "Коваленко", address: "Олено", gender: "f" },
    language: "uk",
    addresses: { uk: "Олено", ru: "Елена", en: "Olena" }
  },
  [fixedIds.longChatsClient]: {
    name: { first: "Степан", last: "Гнатюк", address: "Степане", gender: "m" },
    display: "ТОВ «Агроцентр Лан», Степан Гнатюк",
    language: "uk",
    addresses: { uk: "Степане", ru: "Степан", en: "Stepan" }
  },
  [fixedIds.foreignClient]: {
    name: { first: "Лілія", last: "Гончар", address: "Ліліє", gender: "f" },
    language: "uk",
    addresses: { uk: "Ліліє", ru: "Лилия", en: "Liliia" }
  }
}

const identitiesOf = (random: Random, id: number, email: string): ReadonlyArray<ClientIdentity> => {
  const subscribed = () => ({ subscribed: random.chance(0.92), unsubscribedReason: null })
  const made: Readonly<Record<string, () => ClientIdentity>> = {
    telegram: () => {
      const subscribed = random.chance(0.92)
      // Some unsubscribed, the others blocked the bot.
      const unsubscribedReason = subscribed || id % 2 === 0 ? null : "blocked"
      return {
        channel: "telegram",
        chatId: String(300_000_000 + id * 7919),
        subscribed,
        unsubscribedReason
      }
    },
    viber: () => ({
      channel: "viber",
      chatId: `vb${(id * 104729).toString(36)}${random.digits(6)}=`,
      ...subscribed()
    }),
    webchat: () => ({
      channel: "webchat",
      chatId: `web-${id}-${random.digits(6)}`,
      ...subscribed()
    }),
    whatsapp: () => ({
      channel: "whatsapp",
      chatId: `38067${String(1_000_000 + id)}`,
      ...subscribed()
    })
  }
  const first = random.weighted(["telegram", "viber", "webchat", "whatsapp"], [5, 3, 2.5, 1])
  const second = random.pick(["telegram", "viber", "webchat", "whatsapp"])
  const channels =
    id === fixedIds.client ? ["telegram", "viber", "webchat"] : random.chance(0.4) ? [first, second] : [first]
  const chats = [...new Set(channels)].flatMap((channel) => made[channel]?.() ?? [])
  return random.chance(0.7) || id === fixedIds.client
    ? [...chats, { channel: "email", chatId: email, ...subscribed() }]
    : chats
}

/** The client with this id, the same in every size of the demo. */
export const clientPerson = (id: number, company: Company, midnight: number): ClientPerson => {
  const random = new Random(SALT, id)
  const given = known[id]
  const language = given?.language ?? random.weighted<Language>(["uk", "ru", "en"], [45, 30, 25])
  const name = given?.name ?? personName(random, language)
  const segment =
    id === fixedIds.longChatsClient
      ? "business"
      : id === fixedIds.client
        ? "vip"
        : random.weighted(["home", "business", "vip"] as const, [85, 10, 5])
  const latin = `${latinized(name.first)}.${latinized(name.last)}`
  const email = `${latin}${id}@example.${random.pick(["com", "org", "net"])}`
  const old = id <= fixedIds.foreignClient || random.chance(0.6)
  const day = old ? -random.int(1, 900) : random.int(0, DAYS - 20)
  const createdAt = businessTimeOf(midnight - (DAYS - day) * DAY_MILLIS, random)
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
    email,
    contract: `${company.contractPrefix}-${200_000 + ((id * 7919) % 700_000)}`,
    tariff: random.pick(tariffs[language]),
    segment,
    addressIn: (spoken) => given?.addresses[spoken] ?? name.address,
    apostrophe,
    smallLetters: given === undefined && random.chance(0.12),
    noFullStop: given === undefined && random.chance(0.3)
  }
}
