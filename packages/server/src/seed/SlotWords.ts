// What stands in the slots of the demo dialogues per language: products, places, tariffs, months and so on.
import type { Language } from "./SeedRows.ts"

/** `nominative` is the accusative as well (masculine things only); `genitive` and `locative` where a language has them. */
export interface Thing {
  readonly nominative: string
  readonly genitive: string
}

export interface Place {
  readonly name: string
  /** With its preposition: "у Києві", "in Kyiv". */
  readonly within: string
}

const list = (text: string): ReadonlyArray<string> => text.split(",").map((word) => word.trim())
const things = (text: string): ReadonlyArray<Thing> =>
  list(text).map((word) => {
    const [nominative = "", genitive = nominative] = word.split("/")
    return { nominative, genitive }
  })
const places = (text: string): ReadonlyArray<Place> =>
  list(text).map((word) => {
    const [name = "", within = name] = word.split("/")
    return { name, within }
  })

export const products: Readonly<Record<Language, ReadonlyArray<Thing>>> = {
  en: things(`Archer AX23 router, Galaxy A55 phone, Redmi Pad tablet, Hisense 43-inch TV, IdeaPad 3 laptop, Philips 24-inch monitor,
    Baseus power bank, Anker charger, Mi Band 8 bracelet, Mi Box TV box, Keenetic Hopper router, JBL Tune headset,
    Logitech K380 keyboard, Kindle reader, UPS for the router, Tapo C200 camera, Pixel 8 phone, AirPods case`),
  uk: things(`роутер Archer AX23/роутера Archer AX23, смартфон Galaxy A55/смартфона Galaxy A55, планшет Redmi Pad/планшета Redmi Pad,
    телевізор Hisense 43/телевізора Hisense 43, ноутбук IdeaPad 3/ноутбука IdeaPad 3, монітор Philips 24/монітора Philips 24,
    павербанк Baseus/павербанка Baseus, зарядний пристрій Anker/зарядного пристрою Anker,
    фітнес-браслет Mi Band 8/фітнес-браслета Mi Band 8, ТВ-бокс Mi Box/ТВ-бокса Mi Box,
    роутер Keenetic Hopper/роутера Keenetic Hopper, безперебійник для роутера/безперебійника для роутера,
    смартфон Pixel 8/смартфона Pixel 8, підсилювач сигналу Tenda/підсилювача сигналу Tenda,
    кнопковий телефон Nokia 105/кнопкового телефону Nokia 105, годинник Amazfit/годинника Amazfit`),
  ru: things(`роутер Archer AX23/роутера Archer AX23, смартфон Galaxy A55/смартфона Galaxy A55, планшет Redmi Pad/планшета Redmi Pad,
    телевизор Hisense 43/телевизора Hisense 43, ноутбук IdeaPad 3/ноутбука IdeaPad 3, монитор Philips 24/монитора Philips 24,
    повербанк Baseus/повербанка Baseus, блок питания Anker/блока питания Anker, фитнес-браслет Mi Band 8/фитнес-браслета Mi Band 8,
    ТВ-бокс Mi Box/ТВ-бокса Mi Box, роутер Keenetic Hopper/роутера Keenetic Hopper,
    бесперебойник для роутера/бесперебойника для роутера, смартфон Pixel 8/смартфона Pixel 8,
    усилитель сигнала Tenda/усилителя сигнала Tenda, кнопочный телефон Nokia 105/кнопочного телефона Nokia 105`)
}

export const devices = list(
  "iPhone 13, iPhone 15, Galaxy A54, Redmi Note 12, Pixel 7, MacBook Air, Lenovo IdeaPad, Xiaomi 13T, Motorola G84, Galaxy S23, HP Pavilion, iPad"
)
export const routers = list(
  "Archer AX23, Archer C6, MikroTik hAP, Keenetic Hopper, ASUS RT-AX55, Mercusys MR80X, Tenda AC10, Huawei AX3, ASUS RT-N12"
)

export const tariffs: Readonly<Record<Language, ReadonlyArray<string>>> = {
  en: list(
    "Home 300, Home 500, Home 1000, Giga Plus, Family 100, Smart M, Smart L, Business 200, Start, Light"
  ),
  uk: list(
    "«Дім 300», «Дім 500», «Дім 1000», «Гіга Плюс», «Родина 100», «Смарт М», «Смарт L», «Бізнес 200», «Старт», «Легкий»"
  ),
  ru: list(
    "«Дом 300», «Дом 500», «Дом 1000», «Гига Плюс», «Семья 100», «Смарт М», «Смарт L», «Бизнес 200», «Старт», «Лёгкий»"
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
