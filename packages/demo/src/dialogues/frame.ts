// What surrounds the talk of a chat in the demo data: the bot's reply, joining, waiting, farewell and the rating.
import type { Language } from "../SeedRows.ts"

/** Phrases by their place; lines that repeat in thousands of chats either stay within 40 characters or have slots. */
export interface Frame {
  readonly outgoing: string
  readonly received: string
  readonly joined: string
  readonly hold: string
  readonly patience: string
  readonly transferred: string
  readonly takeover: string
  readonly thanks: string
  readonly welcome: string
  readonly farewell: string
  readonly rate: string
  readonly rating: string
  readonly ticketOpened: string
  readonly assistantStart: string
}

export const frame: Readonly<Record<Language, Frame>> = {
  en: {
    outgoing:
      "[Hello|Hi|Good afternoon], {name}! [This is|You are talking to] {company}. [If you have a question about|Should you need help with] contract {contract}, [simply reply here|just write in this chat|answer this message].",
    received:
      "[Thank you for your message|We have received your message|Your request is registered], {name}. [Request|Number] {appeal}: [an operator will join shortly|we usually answer within ten minutes|please stay in the chat].",
    joined: "[Now in the chat|Taken by|Operator]: {operator}",
    hold: "[One moment, I am checking.|Let me have a look.|Just a minute, please.|Checking, please hold on.|Give me a minute, please.]",
    patience: "[OK|Sure, I'll wait|Okay, waiting|Fine|Sure]",
    transferred: "Transferred to {operator}",
    takeover:
      "Hello, {name}! [My colleague has passed your request {appeal} on to me|I am taking over your request {appeal}|I will go on with your request {appeal}], [I have read everything above|no need to repeat anything|I see the whole conversation].",
    thanks:
      "[Thank you!|Thanks a lot!|Great, thanks|Perfect, thank you|Thank you, bye!|That helps, thanks!|Super, thanks!|OK, thank you]",
    welcome:
      "[You're welcome!|My pleasure!|Glad to help!|Happy to help.|Any time!] [Have a nice day!|Have a good one!|All the best!|Take care!|]",
    farewell:
      "[You're welcome. Have a nice day!|Glad I could help. Goodbye!|Any time! Have a good day.|Happy to help. Take care!|All the best!]",
    rate: "[Please rate this chat from 1 to 5|How did we do? Answer from 1 to 5]",
    rating: "[5|5|5|4|5!|4|5, thanks|3|2|5, very fast|4, it took a while]",
    ticketOpened: "Ticket opened by {operator}",
    assistantStart: "Assistant session, contract {contract}, request {appeal}"
  },
  uk: {
    outgoing:
      "[Добрий день|Вітаємо|Доброго дня], {name}! [Це|Вам пише|На зв'язку] {company}. [Якщо маєте запитання щодо|Якщо потрібна допомога щодо] договору {contract}, [просто напишіть сюди|відповідайте в цьому чаті|пишіть у відповідь].",
    received:
      "[Дякуємо за повідомлення|Ми отримали ваше повідомлення|Ваше звернення зареєстровано], {name}. [Звернення|Номер] {appeal}: [оператор незабаром приєднається|зазвичай відповідаємо за десять хвилин|будь ласка, залишайтеся в чаті].",
    joined: "[На зв'язку|Чат приймає|Оператор]: {operator}",
    hold: "[Хвилинку, перевіряю.|Зараз подивлюся.|Одну хвилину, будь ласка.|Перевіряю, зачекайте, будь ласка.|Секунду, відкриваю договір.]",
    patience: "[Добре|Добре, чекаю|Ок|Так, звісно|Чекаю]",
    transferred: "Чат передано: {operator}",
    takeover:
      "Вітаю, {name}! [Колеги передали мені ваше звернення {appeal}|Продовжую замість колеги звернення {appeal}|Далі вашим зверненням {appeal} займаюся я], [усе вище вже <прочитав|прочитала>|повторювати нічого не треба|бачу всю розмову].",
    thanks:
      "[Дякую!|Щиро дякую!|Супер, дякую|Дякую, допомогли|Дуже дякую, гарного дня!|Дякую за допомогу!|Ок, дякую|Дякую, бувайте]",
    welcome:
      "[Будь ласка!|Прошу!|Немає за що!|Радо допомогли!|Звертайтеся!] [Гарного дня!|Усього доброго!|Мирного дня!|Бережіть себе!|]",
    farewell:
      "[Будь ласка, гарного дня!|Радо допомогли. До зв'язку!|Звертайтеся будь-коли!|Прошу, усього доброго!|Мирного вам дня!]",
    rate: "[Оцініть, будь ласка, чат від 1 до 5|Як вам наша допомога? Від 1 до 5]",
    rating: "[5|5|5|4|5!|4|5, дякую|3|2|5, дуже швидко|4, трохи довго]",
    ticketOpened: "Тікет відкрито: {operator}",
    assistantStart: "Сеанс помічника, договір {contract}, запит {appeal}"
  },
  ru: {
    outgoing:
      "[Добрый день|Здравствуйте|Доброго дня], {name}! [Это|Вам пишет|На связи] {company}. [Если есть вопросы по договору|Если нужна помощь по договору] {contract}, [просто напишите сюда|отвечайте в этом чате|пишите в ответ].",
    received:
      "[Спасибо за сообщение|Мы получили ваше сообщение|Ваше обращение зарегистрировано], {name}. [Обращение|Номер] {appeal}: [оператор скоро подключится|обычно отвечаем за десять минут|пожалуйста, оставайтесь в чате].",
    joined: "[На связи|Чат принимает|Оператор]: {operator}",
    hold: "[Минутку, проверяю.|Сейчас посмотрю.|Одну минуту, пожалуйста.|Проверяю, подождите, пожалуйста.|Секунду, открываю договор.]",
    patience: "[Хорошо|Хорошо, жду|Ок|Да, конечно|Жду]",
    transferred: "Чат передан: {operator}",
    takeover:
      "Здравствуйте, {name}! [Коллеги передали мне ваше обращение {appeal}|Продолжаю вместо коллеги обращение {appeal}|Дальше вашим обращением {appeal} занимаюсь я], [всё выше уже <прочитал|прочитала>|повторять ничего не нужно|вижу всю переписку].",
    thanks:
      "[Спасибо!|Большое спасибо!|Супер, спасибо|Спасибо, помогли|Спасибо, хорошего дня!|Спасибо за помощь!|Ок, спасибо|Спасибо, до свидания]",
    welcome:
      "[Пожалуйста!|Не за что!|Рады помочь!|Обращайтесь!|На здоровье!] [Хорошего дня!|Всего доброго!|Мирного дня!|Берегите себя!|]",
    farewell:
      "[Пожалуйста, хорошего дня!|Рады были помочь. До связи!|Обращайтесь в любое время!|Всего вам доброго!|Мирного вам дня!]",
    rate: "[Оцените, пожалуйста, чат от 1 до 5|Как вам наша помощь? От 1 до 5]",
    rating: "[5|5|5|4|5!|4|5, спасибо|3|2|5, очень быстро|4, немного долго]",
    ticketOpened: "Тикет открыт: {operator}",
    assistantStart: "Сеанс помощника, договор {contract}, запрос {appeal}"
  }
}
