// The phones and e-mail addresses of a client, and the normal forms in which they are compared (contract §9, "Clients").
import type { Client } from "@rapport/contract/clients/ClientsApi.ts"
import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from "libphonenumber-js/max"
import { foldedText } from "../lists/FoldedText.ts"

type Contacts = Pick<Client, "emails" | "phones">
interface ContactChange extends Partial<Contacts> {
  readonly email?: string | null
  readonly phone?: string | null
}

/** `phone` and `email` are the first of their lists: a new one takes the place of the first, null removes it. */
export const contactsAfter = (present: Contacts, change: ContactChange): Contacts => ({
  emails: listAfter(present.emails, change.emails, change.email),
  phones: listAfter(present.phones, change.phones, change.phone)
})

const listAfter = (
  present: ReadonlyArray<string>,
  list: ReadonlyArray<string> | undefined,
  first: string | null | undefined
): ReadonlyArray<string> => {
  if (first === undefined) return list ?? present
  const others = list ?? present.slice(1)
  return first === null ? others : [first, ...others.filter((other) => other !== first)]
}

export const withFirst = ({ emails, phones }: Contacts): Pick<Client, "email" | "phone"> & Contacts => ({
  emails,
  phones,
  email: emails[0] ?? null,
  phone: phones[0] ?? null
})

/** The country whose national phones an instance writes, as ISO 3166-1 alpha-2. */
export type Country = CountryCode
export const isCountry: (text: string) => text is Country = isSupportedCountry

export const emailForm = (email: string): string => foldedText(email)

/** E.164, or the digits of a text that is no phone number, or its folded text. */
export const phoneForm = (phone: string, country: Country): string => {
  const digits = phone.replaceAll(/\D/gu, "")
  const withoutTrunk = digits.replace(/^8/u, "")
  // National, international without its plus sign, and with the prefix 8 of a long-distance call: of the country, of Russia.
  const spellings = [phone.replace(/^\s*00/u, "+"), `+${digits}`, withoutTrunk, `+7${withoutTrunk}`]
  const numbers = spellings.flatMap((spelling) => parsePhoneNumberFromString(spelling, country) ?? [])
  const number = numbers.find((one) => one.isValid()) ?? numbers.find((one) => one.isPossible())
  return number?.number ?? (digits === "" ? foldedText(phone) : digits)
}
