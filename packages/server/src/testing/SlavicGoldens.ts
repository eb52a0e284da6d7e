// More questions about the demo data, in Ukrainian and Russian as people write: inflected verbs, apostrophes, surzhyk, the wrong
// keyboard layout, and Russian questions about Ukrainian talks.
import { found, type Golden, olena, support, told, contracts, shop } from "./RankingGoldens.ts"

/** Of Olena Kovalenko. */
const asked = (name: string, query: string, id: number): Golden => found("uk", name, olena, query, [id])

export const slavicGoldens: ReadonlyArray<Golden> = [
  asked("дієслово: списати", "двічі списали кошти з картки, поверніть подвійне списання", 9006),
  asked("дієслово: замовляти", "послугу, яку не замовляла, додали в рахунок", 9008),
  asked("дієслово: сплачувати", "не встигаю сплатити, бо затримують зарплату", 9013),
  asked("дієслово: загубити", "загубила телефон, заблокуйте картку", 9022),
  asked("дієслово: замінити", "змінити картку для автоплатежу на нову", 9009),
  asked("розкладка: списання", "gjldsqyt cgbcfyyz rjinsd", 9006),
  asked("розкладка: послуга", "pfqdf gjckeuf d hf[eyre", 9008),
  asked("розкладка: зарплата", "pfnhbvrf pfhgkfnb", 9013),
  asked("розкладка: телефон", "pfue,ktybq ntktajy", 9022),
  asked("латиницею: списання", "podviyne spysannya koshtiv", 9006),
  asked("латиницею: зарплата", "zatrymka zarplaty", 9013),
  asked("латиницею: телефон", "zahublenyy telefon", 9022),
  asked("одна хиба: списання", "подвійне спсиання коштів", 9006),
  asked("одна хиба: зарплата", "затрмка зарплати", 9013),
  asked("одна хиба: автоплатіж", "нова картка для автоплтежів", 9009),
  asked("схожі літери", "зaтpимкa зapплaти", 9013),
  asked("м'який перенос", "подвій\u00adне списан\u00adня кош\u00adтів", 9006),
  asked("російською: зарплата", "не успею оплатить, задержали зарплату", 9013),
  asked("російською: телефон", "заблокировать SIM-карту потерянного телефона", 9022),
  asked("російською: картка", "новая карта для автоплатежей", 9009),
  asked("суржик: телефон", "потєряла тєлєфон, заблокіруйте сімку загубленого телефона", 9022),
  asked("суржик: зарплата", "зарплату задержали, не успєю заплатить", 9013),
  told("uk", "апостроф ʼ", support, "камера не підʼєднується до Wi-Fi", "equipment", 7, 1),
  told("uk", "апостроф '", support, "камера не під'єднується до Wi-Fi", "equipment", 7, 1),
  told("uk", "переоформити", contracts, "переоформити договір, записаний на іншого", "account", 4),
  told("ru", "курьер приедет", shop, "курьеры приезжают к точному часу", "delivery", 4),
  told("ru", "постамат не открывается", shop, "не открылась ячейка постамата", "delivery", 7),
  told("ru", "перенести номер", support, "перенести номер от другого оператора", "mobile", 0),
  told("ru", "списали за подписку", support, "каждый день списывает деньги платная подписка", "mobile", 4),
  told("ru", "детям звонить", support, "детская карта, чтобы дети звонили домой", "mobile", 7),
  told("ru", "вернуть без чека", shop, "возвращают ли покупки без чека", "returns", 7),
  told("ru", "подарки", shop, "подарочная упаковка с открыткой", "orders", 7, 1),
  told("ru", "раскладка: посылка", shop, "zxtqrf gjcnfvfnf yt jnrhsdftncz", "delivery", 7),
  told("ru", "раскладка: подписка", support, "gkfnyfz gjlgbcrf cgbcsdf.n rf;lsq ltym", "mobile", 4)
]
