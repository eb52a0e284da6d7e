// The values of the slots of the demo dialogues per language: products, places, tariffs, months and so on.
// Things are masculine, so that their nominative is their accusative too; prices are in hryvnias. Streets keep their form after
// any preposition.
import words from "./data/slot-words.json" with { type: "json" }

export const {
  channels,
  cities,
  devices,
  handsets,
  mobileTariffs,
  months,
  products,
  routers,
  streets,
  tariffs
} = words
