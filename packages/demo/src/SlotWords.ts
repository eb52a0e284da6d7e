// What stands in the slots of the demo dialogues per language: products, places, tariffs, months and so on.
import type { Language } from "./SeedRows.ts"

/** `nominative` is the accusative as well (masculine things only); the price is in hryvnias. */
export interface Thing {
  readonly nominative: string
  readonly genitive: string
  readonly price: number
}

export interface Place {
  readonly name: string
  /** With its preposition: "у Києві", "in Kyiv". */
  readonly within: string
}

const list = (text: string): ReadonlyArray<string> => text.split(",").map((word) => word.trim())
const things = (text: string): ReadonlyArray<Thing> =>
  list(text).map((word) => {
    const [nominative = "", genitive = "", price = ""] = word.split("/")
    return { nominative, genitive, price: Number(price) }
  })
const places = (text: string): ReadonlyArray<Place> =>
  list(text).map((word) => {
    const [name = "", within = name] = word.split("/")
    return { name, within }
  })

export const products: Readonly<Record<Language, ReadonlyArray<Thing>>> = {
  en: things(`Archer AX23 router/Archer AX23 router/2499, Galaxy A55 phone/Galaxy A55 phone/16999, Redmi Pad tablet/Redmi Pad tablet/9499, Hisense 43-inch TV/Hisense 43-inch TV/13499,
    IdeaPad 3 laptop/IdeaPad 3 laptop/21999, Philips 24-inch monitor/Philips 24-inch monitor/5799, Baseus power bank/Baseus power bank/1899, Anker charger/Anker charger/1299,
    Mi Band 8 bracelet/Mi Band 8 bracelet/1999, Mi Box TV box/Mi Box TV box/2799, Keenetic Hopper router/Keenetic Hopper router/4399, JBL Tune headset/JBL Tune headset/1799,
    Logitech K380 keyboard/Logitech K380 keyboard/1699, Kindle reader/Kindle reader/6499, UPS for the router/UPS for the router/1599, Tapo C200 camera/Tapo C200 camera/1399,
    Pixel 8 phone/Pixel 8 phone/24999, AirPods case/AirPods case/899`),
  uk: things(`роутер Archer AX23/роутера Archer AX23/2499, смартфон Galaxy A55/смартфона Galaxy A55/16999, планшет Redmi Pad/планшета Redmi Pad/9499, телевізор Hisense 43/телевізора Hisense 43/13499,
    ноутбук IdeaPad 3/ноутбука IdeaPad 3/21999, монітор Philips 24/монітора Philips 24/5799, павербанк Baseus/павербанка Baseus/1899, зарядний пристрій Anker/зарядного пристрою Anker/1299,
    фітнес-браслет Mi Band 8/фітнес-браслета Mi Band 8/1999, ТВ-бокс Mi Box/ТВ-бокса Mi Box/2799, роутер Keenetic Hopper/роутера Keenetic Hopper/4399, безперебійник для роутера/безперебійника для роутера/1599,
    смартфон Pixel 8/смартфона Pixel 8/24999, підсилювач сигналу Tenda/підсилювача сигналу Tenda/1199, кнопковий телефон Nokia 105/кнопкового телефону Nokia 105/999, годинник Amazfit/годинника Amazfit/3999`),
  ru: things(`роутер Archer AX23/роутера Archer AX23/2499, смартфон Galaxy A55/смартфона Galaxy A55/16999, планшет Redmi Pad/планшета Redmi Pad/9499, телевизор Hisense 43/телевизора Hisense 43/13499,
    ноутбук IdeaPad 3/ноутбука IdeaPad 3/21999, монитор Philips 24/монитора Philips 24/5799, повербанк Baseus/повербанка Baseus/1899, блок питания Anker/блока питания Anker/1299,
    фитнес-браслет Mi Band 8/фитнес-браслета Mi Band 8/1999, ТВ-бокс Mi Box/ТВ-бокса Mi Box/2799, роутер Keenetic Hopper/роутера Keenetic Hopper/4399, бесперебойник для роутера/бесперебойника для роутера/1599,
    смартфон Pixel 8/смартфона Pixel 8/24999, усилитель сигнала Tenda/усилителя сигнала Tenda/1199, кнопочный телефон Nokia 105/кнопочного телефона Nokia 105/999`)
}

export const devices = list(
  "iPhone 13, iPhone 15, Galaxy A54, Redmi Note 12, Pixel 7, MacBook Air, Lenovo IdeaPad, Xiaomi 13T, Motorola G84, Galaxy S23, HP Pavilion, iPad"
)
export const handsets = list(
  "iPhone 13, iPhone 15, Galaxy A54, Redmi Note 12, Pixel 7, Xiaomi 13T, Motorola G84, Galaxy S23"
)
export const mobileTariffs: Readonly<Record<Language, ReadonlyArray<string>>> = {
  en: list("Smart M, Smart L, Smart Max"),
  uk: list("«Смарт M», «Смарт L», «Смарт Макс»"),
  ru: list("«Смарт M», «Смарт L», «Смарт Макс»")
}
export const routers = list(
  "Archer AX23, Archer C6, MikroTik hAP, Keenetic Hopper, ASUS RT-AX55, Mercusys MR80X, Tenda AC10, Huawei AX3, ASUS RT-N12"
)

export const tariffs: Readonly<Record<Language, ReadonlyArray<string>>> = {
  en: list("Home 300, Home 500, Home 1000, Giga Plus, Family, Home Plus, Ultra, Business, Start, Light"),
  uk: list(
    "«Дім 300», «Дім 500», «Дім 1000», «Гіга Плюс», «Родина», «Дім Плюс», «Ультра», «Бізнес», «Старт», «Легкий»"
  ),
  ru: list(
    "«Дом 300», «Дом 500», «Дом 1000», «Гига Плюс», «Семья», «Дом Плюс», «Ультра», «Бизнес», «Старт», «Лёгкий»"
  )
}

export const channels: Readonly<Record<Language, ReadonlyArray<string>>> = {
  en: list(
    "Kino HD, Sport 1, Science HD, Kids World, History 24, Music Box, Nature 4K, Football 2, News 5, Retro Cinema"
  ),
  uk: list(
    "«Кіно HD», «Спорт 1», «Наука HD», «Малятко», «Історія 24», «Музика», «Природа 4K», «Футбол 2», «Новини 5», «Ретро»"
  ),
  ru: list(
    "«Кино HD», «Спорт 1», «Наука HD», «Малыш», «История 24», «Музыка», «Природа 4K», «Футбол 2», «Новости 5», «Ретро»"
  )
}

export const cities: Readonly<Record<Language, ReadonlyArray<Place>>> = {
  en: places(
    "Kyiv/in Kyiv, Lviv/in Lviv, Odesa/in Odesa, Dnipro/in Dnipro, Kharkiv/in Kharkiv, Vinnytsia/in Vinnytsia, Poltava/in Poltava, Lutsk/in Lutsk, Cherkasy/in Cherkasy, Zhytomyr/in Zhytomyr, Chernivtsi/in Chernivtsi"
  ),
  uk: places(
    "Київ/у Києві, Львів/у Львові, Одеса/в Одесі, Дніпро/у Дніпрі, Харків/у Харкові, Вінниця/у Вінниці, Полтава/у Полтаві, Луцьк/у Луцьку, Черкаси/у Черкасах, Житомир/у Житомирі, Чернівці/у Чернівцях"
  ),
  ru: places(
    "Киев/в Киеве, Львов/во Львове, Одесса/в Одессе, Днепр/в Днепре, Харьков/в Харькове, Винница/в Виннице, Полтава/в Полтаве, Луцк/в Луцке, Черкассы/в Черкассах, Житомир/в Житомире, Черновцы/в Черновцах"
  )
}

/** Named so that the name stands unchanged after any preposition. */
export const streets: Readonly<Record<Language, ReadonlyArray<string>>> = {
  en: list(
    "Shevchenka Street, Franka Street, Peremohy Avenue, Lesi Ukrainky Street, Nezalezhnosti Street, Myru Avenue, Hrushevskoho Street, Dovzhenka Street, Kotsiubynskoho Street, Heroiv Dnipra Street, Stusa Street, Skovorody Street, Khmelnytskoho Street, Kotliarevskoho Street, Soniachna Street"
  ),
  uk: list(
    "вул. Шевченка, вул. Франка, просп. Перемоги, вул. Лесі Українки, вул. Незалежності, просп. Миру, вул. Грушевського, вул. Довженка, вул. Коцюбинського, вул. Героїв Дніпра, вул. Стуса, вул. Сковороди, вул. Хмельницького, вул. Котляревського, вул. Григоренка"
  ),
  ru: list(
    "ул. Шевченко, ул. Франко, просп. Победы, ул. Леси Украинки, ул. Независимости, просп. Мира, ул. Грушевского, ул. Довженко, ул. Коцюбинского, ул. Героев Днепра, ул. Стуса, ул. Сковороды, ул. Хмельницкого, ул. Котляревского, ул. Григоренко"
  )
}

/** The month alone (nominative, which is the accusative too), after a day, and with its preposition. */
export const months: Readonly<
  Record<
    Language,
    {
      readonly alone: ReadonlyArray<string>
      readonly ofDay: ReadonlyArray<string>
      readonly within: ReadonlyArray<string>
    }
  >
> = {
  en: {
    alone: list(
      "January, February, March, April, May, June, July, August, September, October, November, December"
    ),
    ofDay: list(
      "January, February, March, April, May, June, July, August, September, October, November, December"
    ),
    within: list(
      "in January, in February, in March, in April, in May, in June, in July, in August, in September, in October, in November, in December"
    )
  },
  uk: {
    alone: list(
      "січень, лютий, березень, квітень, травень, червень, липень, серпень, вересень, жовтень, листопад, грудень"
    ),
    ofDay: list(
      "січня, лютого, березня, квітня, травня, червня, липня, серпня, вересня, жовтня, листопада, грудня"
    ),
    within: list(
      "у січні, у лютому, у березні, у квітні, у травні, у червні, у липні, у серпні, у вересні, у жовтні, у листопаді, у грудні"
    )
  },
  ru: {
    alone: list("январь, февраль, март, апрель, май, июнь, июль, август, сентябрь, октябрь, ноябрь, декабрь"),
    ofDay: list(
      "января, февраля, марта, апреля, мая, июня, июля, августа, сентября, октября, ноября, декабря"
    ),
    within: list(
      "в январе, в феврале, в марте, в апреле, в мае, в июне, в июле, в августе, в сентябре, в октябре, в ноябре, в декабре"
    )
  }
}
