// Queries on the demo data in Ukrainian and Russian as people write: inflected verbs, apostrophes, surzhyk, the wrong keyboard
// layout, and Russian queries for Ukrainian appeals.
import { wantsIds, type Golden, olena, support, wantsPlan, contracts, shop } from "./RankingGoldens.ts"

const ofOlena = (name: string, query: string, id: number): Golden => wantsIds("uk", name, olena, query, [id])

export const slavicGoldens: ReadonlyArray<Golden> = [
  ofOlena("дієслово: списати", "двічі списали кошти з картки, поверніть подвійне списання", 9006),
  ofOlena("дієслово: замовляти", "послугу, яку не замовляла, додали в рахунок", 9008),
  ofOlena("дієслово: сплачувати", "не встигаю сплатити, бо затримують зарплату", 9013),
  ofOlena("дієслово: загубити", "загубила телефон, заблокуйте картку", 9022),
  ofOlena("дієслово: замінити", "змінити картку для автоплатежу на нову", 9009),
  ofOlena("розкладка: списання", "gjldsqyt cgbcfyyz rjinsd", 9006),
  ofOlena("розкладка: послуга", "pfqdf gjckeuf d hf[eyre", 9008),
  ofOlena("розкладка: зарплата", "pfnhbvrf pfhgkfnb", 9013),
  ofOlena("розкладка: телефон", "pfue,ktybq ntktajy", 9022),
  ofOlena("латиницею: списання", "podviyne spysannya koshtiv", 9006),
  ofOlena("латиницею: зарплата", "zatrymka zarplaty", 9013),
  ofOlena("латиницею: телефон", "zahublenyy telefon", 9022),
  ofOlena("одна хиба: списання", "подвійне спсиання коштів", 9006),
  ofOlena("одна хиба: зарплата", "затрмка зарплати", 9013),
  ofOlena("одна хиба: автоплатіж", "нова картка для автоплтежів", 9009),
  ofOlena("схожі літери", "зaтpимкa зapплaти", 9013),
  ofOlena("м'який перенос", "подвій\u00adне списан\u00adня кош\u00adтів", 9006),
  ofOlena("російською: зарплата", "не успею оплатить, задержали зарплату", 9013),
  ofOlena("російською: телефон", "заблокировать SIM-карту потерянного телефона", 9022),
  ofOlena("російською: картка", "новая карта для автоплатежей", 9009),
  ofOlena("суржик: телефон", "потєряла тєлєфон, заблокіруйте сімку загубленого телефона", 9022),
  ofOlena("суржик: зарплата", "зарплату задержали, не успєю заплатить", 9013),
  wantsPlan("uk", "апостроф ʼ", support, "камера не підʼєднується до Wi-Fi", "equipment", 7, 1),
  wantsPlan("uk", "апостроф '", support, "камера не під'єднується до Wi-Fi", "equipment", 7, 1),
  wantsPlan("uk", "переоформити", contracts, "переоформити договір, записаний на іншого", "account", 4),
  wantsPlan("ru", "курьер приедет", shop, "курьеры приезжают к точному часу", "delivery", 4),
  wantsPlan("ru", "постамат не открывается", shop, "не открылась ячейка постамата", "delivery", 7),
  wantsPlan("ru", "перенести номер", support, "перенести номер от другого оператора", "mobile", 0),
  wantsPlan(
    "ru",
    "списали за подписку",
    support,
    "каждый день списывает деньги платная подписка",
    "mobile",
    4
  ),
  wantsPlan("ru", "детям звонить", support, "детская карта, чтобы дети звонили домой", "mobile", 7),
  wantsPlan("ru", "вернуть без чека", shop, "возвращают ли покупки без чека", "returns", 7),
  wantsPlan("ru", "подарки", shop, "подарочная упаковка с открыткой", "orders", 7, 1),
  wantsPlan("ru", "раскладка: посылка", shop, "zxtqrf gjcnfvfnf yt jnrhsdftncz", "delivery", 7),
  wantsPlan("ru", "раскладка: подписка", support, "gkfnyfz gjlgbcrf cgbcsdf.n rf;lsq ltym", "mobile", 4)
]
