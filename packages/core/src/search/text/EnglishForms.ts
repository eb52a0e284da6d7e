// Stems of English words: Snowball's, and of a word whose forms it does not bring together (went, children) that of the word itself.
import { stemmer as snowball } from "@orama/stemmers/english"

/**
 * A word, and those of its forms that have another stem; no form that is more often another word
 * (born, bit, lay, lives). Apostrophes are left out (children's).
 */
export const irregular = `
arise arose arisen
awake awoke awoken
beat beaten
become became
begin began begun
bend bent
bite bitten
bleed bled
blow blew blown
break broke broken
breed bred
bring brought
build built
burn burnt
buy bought
catch caught
child children childrens
choose chose chosen
cling clung
come came
creep crept
deal dealt
die dies died dying
dig dug
do does done
draw drew drawn
dream dreamt
drink drank drunk
drive drove driven
eat ate eaten
fall fell fallen
feed fed
feel felt
fight fought
find found
flee fled
fly flew flown
foot feet
forbid forbade forbidden
forget forgot forgotten
forgive forgave forgiven
freeze froze frozen
get got gotten
give gave given
go goes went gone
goose geese
grow grew grown
half halves
hang hung
hear heard
hide hid hidden
hold held
keep kept
kneel knelt
knife knives
know knew known
lead led
learn learnt
leave left
lend lent
lie lies lied lying
lose lost
make made
man men mens
mean meant
meet met
mistake mistook mistaken
mouse mice
overcome overcame
overhear overheard
oversee oversaw overseen
overtake overtook overtaken
pay paid
person people peoples
rebuild rebuilt
repay repaid
ride rode ridden
ring rang
rise risen
run ran
say said
see saw seen
seek sought
sell sold
send sent
shake shook shaken
shelf shelves
shine shone
shoot shot
shrink shrank shrunk
sing sang sung
sink sank sunk
sit sat
sleep slept
slide slid
speak spoke spoken
speed sped
spend spent
spill spilt
spin spun
spit spat
spoil spoilt
spring sprang sprung
stand stood
steal stole stolen
stick stuck
sting stung
strike struck stricken
strive strove striven
swear swore sworn
sweep swept
swim swam swum
swing swung
take took taken
teach taught
tear tore torn
tell told
think thought
throw threw thrown
tie ties tied tying
tooth teeth
undergo underwent undergone
understand understood
undertake undertook undertaken
undo undone
uphold upheld
wake woke woken
wear wore worn
weave wove woven
weep wept
wife wives
win won
withdraw withdrew withdrawn
withhold withheld
withstand withstood
woman women womens
write wrote written`

const formsByStem = new Map(
  irregular
    .trim()
    .split("\n")
    .map((line) => {
      const [word = "", ...forms] = line.trim().split(" ")
      return [snowball(word), [word, ...forms]] as const
    })
)
const stems = new Map(
  [...formsByStem].flatMap(([stem, [, ...forms]]) => forms.map((form) => [form, stem] as const))
)

/** Of a folded word in Latin letters. */
export const englishStem = (folded: string): string => stems.get(folded) ?? snowball(folded)

/** The word with its other forms, of a stem that rules alone do not lead to; else none. */
export const irregularForms = (stem: string): ReadonlyArray<string> => formsByStem.get(stem) ?? []
