// Which words of a query are read otherwise, and as what: mistyped ones, and never those that people write.
import { assert, describe, it } from "@effect/vitest"
import { chosenReadings, possibleReadings } from "./Readings.ts"
import { stem, wordForms } from "./Words.ts"

const readings = (query: string, text: string) => {
  const stems = new Set(wordForms(text).map((word) => word.stem))
  const stands = (one: string) => stems.has(one)
  return chosenReadings(possibleReadings(query, stands), (one) => (stands(one) ? 1 : 0)).map(
    ({ readAs, word }) => `${word} > ${readAs}`
  )
}

describe("chosenReadings", () => {
  it("does not correct words that people write, nor in the first letter", () => {
    const text = "писали, дать, следи, входе, перевод, картка, найшли, finds, wheel, дракони"
    for (const query of ["списали", "ждать", "среди", "вроде", "переход", "картки", "friends"])
      assert.deepStrictEqual(readings(query, text), [], query)
  })

  it("reads a mistyped word that only asks as that word, and as no other", () => {
    const text = "зачем, почему, можно, which, зачёт, почта"
    for (const [query, wanted] of [
      ["Зачеем", "зачем"],
      ["почемму", "почему"],
      ["можнио", "можно"],
      ["whihc", "which"]
    ] as const)
      assert.deepStrictEqual(readings(query, text), [`${query} > ${wanted}`])
    for (const query of ["Кгода", "почму", "wheer", "скілки", "можнн"])
      assert.deepStrictEqual(readings(query, "года, пому, wheel, скелки, манна"), [], query)
  })

  it("corrects one letter that is wrong, too many, missing or exchanged", () => {
    const text = "доставка, повернення, монетизация, студия, канал, рахунок, invoice, пароль, посол"
    for (const [query, wanted] of [
      ["доствака", "доставка"],
      ["повренення", "повернення"],
      ["монетизауию", "монетизацию"],
      ["ситудии", "студии"],
      ["кнал", "канал"],
      ["рахуннок", "рахунок"],
      ["invioce", "invoice"],
      ["пороль", "пароль"]
    ] as const)
      assert.deepStrictEqual(readings(query, text), [`${query} > ${wanted}`])
  })

  it("corrects one letter of the other alphabet inside a word", () => {
    for (const [query, wanted] of [
      ["smaзrt", "smart"],
      ["invйice", "invoice"],
      ["достgавка", "доставка"]
    ] as const)
      assert.deepStrictEqual(readings(query, "smart invoice доставка"), [`${query} > ${wanted}`])
  })

  it("corrects a short word that has lost a letter, whatever words it might be with another letter", () => {
    for (const [query, wanted] of [
      ["нати", "найти"],
      ["Заем", "зачем"]
    ] as const)
      assert.deepStrictEqual(readings(query, "найти, зачем, наши"), [`${query} > ${wanted}`])
    assert.deepStrictEqual(readings("мгда", "мода, мзда"), [])
  })

  it("corrects each word of a part that is joined by signs", () => {
    assert.deepStrictEqual(readings("Сан-Мтркос?", "Сан-Маркос"), ["Мтркос > маркос"])
    assert.deepStrictEqual(readings("кислоорда-16", "кислорода 18"), ["кислоорда > кислорода"])
    assert.deepStrictEqual(readings("статус/доствака", "статус, доставка"), ["доствака > доставка"])
  })

  it("corrects a name whose letters follow each other in no word, where it is one edit away", () => {
    for (const [query, wanted] of [
      ["Шдэбалы", "шидэбалы"],
      ["Джэкксонвилл", "джэксонвилл"]
    ] as const)
      assert.deepStrictEqual(readings(query, "Шидэбалы, Джэксонвилл"), [`${query} > ${wanted}`])
  })

  it("corrects what can be no word where one letter is written by ear and another mistyped", () => {
    const text = "восстановить, пароль, обложка, верифицировать"
    for (const [query, wanted] of [
      ["востановиь", "восстановить"],
      ["пордль", "пароль"],
      ["облшока", "обложка"],
      ["верефциировать", "верифицировать"]
    ] as const)
      assert.deepStrictEqual(readings(query, text), [`${query} > ${wanted}`])
    // Two letters of which neither is written by ear, and what one edit explains.
    assert.deepStrictEqual(readings("обнлока", text), [])
    assert.deepStrictEqual(readings("облшка", "облка, обложка"), ["облшка > облка"])
  })

  it("prefers what a slip makes of a word: a letter left out or doubled, or two exchanged", () => {
    const text = "пароль, поля, донаты, даты, делать, дать, great, greater"
    for (const [query, wanted] of [
      ["паоля", "пароля"],
      ["днаты", "донаты"],
      ["длать", "делать"],
      ["greatr", "greater"]
    ] as const)
      assert.deepStrictEqual(readings(query, text), [`${query} > ${wanted}`])
  })

  it("reads what is one letter from a word that only asks as another, where a slip makes it of a known one", () => {
    assert.deepStrictEqual(readings("поика", "пока, поиска"), ["поика > поиска"])
    assert.deepStrictEqual(readings("поика", "пока, понка"), ["поика > пока"])
  })

  it("corrects what can be no word and was mistyped twice, where no nearer word stands", () => {
    const text = "монетизация, студия, недоступен, сообщения"
    for (const [query, wanted] of [
      ["моеитизации", "монетизации"],
      ["мноеитизации", "монетизации"],
      ["стдуя", "студия"],
      ["сособещний", "сообщений"]
    ] as const)
      assert.deepStrictEqual(readings(query, text), [`${query} > ${wanted}`])
    assert.deepStrictEqual(readings("стдуя", `${text}, стоят`), ["стдуя > студия"])
    assert.deepStrictEqual(readings("стдуя", `${text}, стадуя`), ["стдуя > стадуя"])
    // One that can be a word is no other one.
    assert.deepStrictEqual(readings("монеитузации", text), [])
  })

  it("corrects first what can be no word, when more are lost than are corrected", () => {
    assert.deepStrictEqual(readings("бакачок лелевка смервека гвінчик доставкк", "доставка"), [
      "доставкк > доставка"
    ])
  })

  it("shows the form that people write, not the first that has the stem", () => {
    assert.deepStrictEqual(readings("управлть", "управлять"), ["управлть > управлять"])
    assert.deepStrictEqual(readings("запусть", "запустили"), ["запусть > запусти"])
  })

  it("reads a known word as its cognate of the other language", () => {
    assert.notStrictEqual(stem("платежной"), stem("платіжної"))
    assert.deepStrictEqual(readings("целях", "в цілях безпеки"), ["целях > цілях"])
    assert.deepStrictEqual(readings("цілях", "в целях безопасности"), ["цілях > целях"])
  })
})
