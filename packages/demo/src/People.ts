// The names of the people of the demo data in Ukrainian, Russian and English, with gender and form of address.
import type { Gender } from "./Phrase.ts"
import type { Random } from "./Random.ts"
import type { Language } from "./SeedRows.ts"

/** How somebody is called: `address` is the first name in the form of address (Ukrainian vocative). */
export interface PersonName {
  readonly first: string
  readonly last: string
  readonly address: string
  readonly gender: Gender
}

const words = (text: string): ReadonlyArray<string> => text.trim().split(/\s+/u)

/** First names; Ukrainian ones as nominative/vocative. */
const firstNames: Readonly<Record<Language, Readonly<Record<Gender, ReadonlyArray<string>>>>> = {
  uk: {
    m: words(`Олександр/Олександре Андрій/Андрію Дмитро/Дмитре Сергій/Сергію Іван/Іване Максим/Максиме Тарас/Тарасе
      Богдан/Богдане Юрій/Юрію Михайло/Михайле Василь/Василю Роман/Романе Назар/Назаре Ярослав/Ярославе
      Віталій/Віталію Павло/Павле Микола/Миколо Ігор/Ігоре Остап/Остапе Степан/Степане Артем/Артеме Денис/Денисе
      Євген/Євгене Володимир/Володимире Мар'ян/Мар'яне Лук'ян/Лук'яне Руслан/Руслане Анатолій/Анатолію`),
    f: words(`Олена/Олено Ірина/Ірино Наталія/Наталіє Оксана/Оксано Марія/Маріє Юлія/Юліє Тетяна/Тетяно
      Катерина/Катерино Ганна/Ганно Світлана/Світлано Людмила/Людмило Вікторія/Вікторіє Дарина/Дарино
      Соломія/Соломіє Надія/Надіє Леся/Лесю Галина/Галино Христина/Христино Мар'яна/Мар'яно Анастасія/Анастасіє
      Софія/Софіє Зоряна/Зоряно Лариса/Ларисо Алла/Алло Віра/Віро Любов/Любове Уляна/Уляно Богдана/Богдано`)
  },
  ru: {
    m: words(`Александр Алексей Дмитрий Сергей Андрей Максим Евгений Владимир Игорь Олег Николай Павел Роман Виктор
      Константин Артём Илья Кирилл Вадим Станислав Геннадий Антон Руслан Эдуард`),
    f: words(`Елена Ольга Наталья Ирина Татьяна Светлана Юлия Анна Мария Екатерина Людмила Марина Галина Виктория
      Анастасия Алёна Лариса Валентина Оксана Полина Инна Кристина Яна Диана`)
  },
  en: {
    m: words(`James Oliver Thomas Daniel Michael David Peter Mark Andrew Martin Lukas Erik Ahmed Marco Pierre Jonas Kevin
      Brian Simon Adam Patrick George Hugo Victor`),
    f: words(`Emma Sarah Laura Anna Julia Kate Maria Linda Sophie Helen Claire Alice Rachel Nina Ingrid Chloe Grace Monica
      Diana Eva Hannah Olivia Joanna Vera`)
  }
}

/** Last names; Russian ones that take -а in the feminine end with `*`. */
const lastNames: Readonly<Record<Language, ReadonlyArray<string>>> = {
  uk: words(`Шевченко Коваленко Бондаренко Ткаченко Кравченко Олійник Шевчук Поліщук Савченко Мельник Марченко Руденко
    Мороз Лисенко Петренко Клименко Павленко Кравчук Кузьменко Гончар Бойко Ткачук Литвин Довженко Стельмах Гнатюк
    Сидоренко Дем'яненко Луценко Яременко Лук'яненко В'юн Захарчук Романюк Левчук Панченко Гаврилюк Коваль Дяченко
    Тимошенко Власенко Мартинюк Прокопенко Остапчук Назаренко Федоренко Приходько Скиба`),
  ru: words(`Смирнов* Кузнецов* Попов* Васильев* Петров* Соколов* Михайлов* Новиков* Фёдоров* Морозов* Волков* Алексеев*
    Лебедев* Семёнов* Егоров* Павлов* Козлов* Степанов* Николаев* Орлов* Андреев* Макаров* Никитин* Захаров* Зайцев*
    Шевченко Бондаренко Кравченко Гордиенко Тарасенко Мельник Гончарук Яковлев* Белов* Комаров* Киселёв* Ильин*
    Гусев* Титов* Кузьмин*`),
  en: words(`Smith Johnson Brown Taylor Wilson Evans Walker Wright Thompson Clarke Müller Schmidt Novak Jensen Larsen Rossi
    Martin Dubois Weber Fischer O'Connor Murphy Kelly Harris Cooper Bennett Foster Hughes Lewis Morgan Parker Reed
    Watson Young Hansen Meyer Garcia Silva Kaya Collins`)
}

/** A believable name of a speaker of the language. */
export const personName = (random: Random, language: Language): PersonName => {
  const gender: Gender = random.chance(0.5) ? "m" : "f"
  const [first = "", address = first] = random.pick(firstNames[language][gender]).split("/")
  const last = random.pick(lastNames[language])
  return {
    first,
    address,
    gender,
    last: last.endsWith("*") ? last.slice(0, -1) + (gender === "f" ? "а" : "") : last
  }
}

const latin: Readonly<Record<string, string>> = Object.fromEntries(
  words(`а/a б/b в/v г/h ґ/g д/d е/e є/ie ё/io ж/zh з/z и/y і/i ї/i й/i к/k л/l м/m н/n о/o п/p р/r с/s т/t у/u ф/f х/kh
    ц/ts ч/ch ш/sh щ/shch ь/ ъ/ ы/y э/e ю/iu я/ia`).map((pair) => pair.split("/"))
)

/** A name in small Latin letters, for addresses. */
export const latinized = (name: string): string =>
  name
    .toLowerCase()
    .replace(/\p{Script=Cyrillic}/gu, (letter) => latin[letter] ?? "")
    .normalize("NFD")
    .replace(/[^a-z]/gu, "")
