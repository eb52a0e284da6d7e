// The normal forms of phones (contract §9, "Clients").
import { assert, it } from "@effect/vitest"
import * as fc from "fast-check"
import { phoneForm } from "./Contacts.ts"

it.each([
  [
    "UA",
    "+380671234567",
    ["067 123-45-67", "(067) 1234567", "380671234567", "00380 67 123 45 67", "80671234567"]
  ],
  [
    "UA",
    "+380671234567",
    ["моб. 067 123 45 67", "+38 (067) 123-45-67", "067 123-45-67 доб. 12", "671234567"]
  ],
  ["UA", "+48631112233", ["+48 63 111-22-33", "48631112233", "0048 63 111 22 33"]],
  ["UA", "+79161234567", ["+7 916 123 45 67", "8 (916) 123-45-67", "007 9161234567", "9161234567"]],
  ["UA", "+442079460958", ["+44 20 7946 0958", "+44 (0)20 7946 0958"]],
  ["GB", "+442079460958", ["020 7946 0958"]],
  ["NO", "+4722334455", ["22334455", "+47 2233 4455"]],
  ["UA", "+84912345678", ["84912345678", "+84 912 345 678"]],
  ["UA", "112", ["112", "1-1-2"]],
  ["UA", "немає", ["Немає"]]
] as const)("a phone in %s has the normal form %s in every spelling", (country, normal, spellings) => {
  for (const spelling of spellings) assert.strictEqual(phoneForm(spelling, country), normal, spelling)
})

it("phones of different countries with the same national number have different normal forms", () => {
  const forms = ["+380 63 111-22-33", "+48 63 111-22-33", "+1 063 111 22 33", "1112233"].map((phone) =>
    phoneForm(phone, "UA")
  )
  assert.strictEqual(new Set(forms).size, forms.length)
})

it("the normal form of a normal form is the same", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^\+?[0-9 ()-]{1,18}$/u), (phone) => {
      const form = phoneForm(phone, "UA")
      assert.strictEqual(phoneForm(form, "UA"), form)
    })
  )
})
