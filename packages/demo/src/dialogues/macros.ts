// Parts that many phrases of the demo dialogues share, per language; `@hi` in a phrase stands for the text here.
import type { Language } from "../SeedRows.ts"

// A name in them is the client's; `tail` ends clients' lines that hold nothing of their own (see DialoguePlan.ts).
export const macros: Readonly<Record<Language, Readonly<Record<string, string>>>> = {
  en: {
    hi: "[Hi! |Hello! |Good afternoon! |Good morning! |Hello there! |Hi there! |Good evening! |]",
    hello: "[Hello|Hi|Good afternoon|Welcome][, {name}|, {name}, thanks for writing|]!",
    sorry:
      "[Sorry about that|I am sorry for the trouble|Apologies for the inconvenience|I understand how annoying that is|That should not have happened, sorry]",
    thx: "[Thank you|Thanks|Great, thank you|Perfect, thanks|Thanks a lot]",
    ok: "[OK|Okay|All right|Got it|Understood|I see|Clear]",
    dear: "[{name}, |]",
    so: "[{name}, |So, {name}, |Well, {name}, |Okay, {name}: |All right, {name}, ]",
    no: "[No|No, {name}|{name}, no|No, do not worry|Not at all]",
    tail: "[| 🙂| 🙏| :)| Thanks!| Thanks in advance.| Much appreciated.]",
    looked:
      "[I have checked|I have just checked|I have looked it up|I have it in front of me|Thanks for waiting, I have checked]",
    yes: "[Yes|Yes, of course|Certainly|Sure|Yes, absolutely]"
  },
  uk: {
    hi: "[Добрий день! |Вітаю! |Доброго дня! |Доброго ранку! |Добрий вечір! |Привіт! |Доброго здоров'я! |]",
    hello: "[Добрий день|Вітаю|Доброго дня|Вітаємо][, {name}|, {name}, дякую, що написали|]!",
    sorry:
      "[Перепрошую за клопіт|Вибачте за незручності|Прикро, що так вийшло|Розумію, це неприємно|Перепрошуємо, так не мало статися]",
    thx: "[Дякую|Щиро дякую|Чудово, дякую|Супер, дякую|Дуже дякую]",
    ok: "[Добре|Гаразд|Зрозуміло|Ясно|Домовилися|<Зрозумів|Зрозуміла>|Так, ясно]",
    dear: "[{name}, |]",
    so: "[{name}, |Отже, {name}, |Дивіться, {name}: |Добре, {name}, |Гаразд, {name}: ]",
    no: "[Ні|Ні, {name}|{name}, ні|Ні, не хвилюйтеся|Та ні]",
    tail: "[| 🙂| 🙏| :)| Дякую!| Дякую наперед.| Буду <вдячний|вдячна>.]",
    looked:
      "[<Перевірив|Перевірила>|Щойно <перевірив|перевірила>|Дякую за очікування, <перевірив|перевірила>|<Подивився|Подивилася> в системі|Уже <перевірив|перевірила>]",
    yes: "[Так|Так, звісно|Звичайно|Авжеж|Так, певна річ]"
  },
  ru: {
    hi: "[Добрый день! |Здравствуйте! |Доброе утро! |Добрый вечер! |Приветствую! |Доброго дня! |]",
    hello: "[Здравствуйте|Добрый день|Приветствую|Доброго дня][, {name}|, {name}, спасибо, что написали|]!",
    sorry:
      "[Простите за неудобства|Извините за беспокойство|Жаль, что так вышло|Понимаю, это неприятно|Приносим извинения, так быть не должно]",
    thx: "[Спасибо|Большое спасибо|Отлично, спасибо|Супер, спасибо|Спасибо вам]",
    ok: "[Хорошо|Ладно|Понятно|Ясно|Договорились|Да, ясно]",
    dear: "[{name}, |]",
    so: "[{name}, |Итак, {name}, |Смотрите, {name}: |Хорошо, {name}, |Значит, {name}, ]",
    no: "[Нет|Нет, {name}|{name}, нет|Нет, не волнуйтесь|Да нет]",
    tail: "[| 🙂| 🙏| :)| Спасибо!| Заранее спасибо.| Буду <благодарен|благодарна>.]",
    looked:
      "[<Проверил|Проверила>|Только что <проверил|проверила>|Спасибо за ожидание, <проверил|проверила>|<Посмотрел|Посмотрела> в системе|Уже <проверил|проверила>]",
    yes: "[Да|Да, конечно|Конечно|Разумеется|Да, безусловно]"
  }
}
