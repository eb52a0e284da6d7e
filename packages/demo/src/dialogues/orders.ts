// Shop orders: dialogue plans about placing, changing, paying and cancelling orders (form: see DialoguePlan.ts).
import type { SubjectDialogues } from "../DialoguePlan.ts"

export const orders: SubjectDialogues = {
  en: `
# Order not confirmed
c: @hi I ordered a {product} on {date}, order {order}, and [nobody has confirmed it|there is no confirmation]. [Is it alive|What about it]?
o: @hello @looked: order {order} is [waiting for payment|on hold], the bank [did not report|has not confirmed] the {price}.
c: [The money was taken|My bank shows the payment], {price}, card *{last4}. [Shall I send the receipt|Shall I send proof]?
o: @so please send [the receipt|a screenshot]. [Meanwhile|In the meantime] I have reserved the goods so that [nobody takes them|they are not sold out].
c: Sent, payment code {payment}. [What next|Do I have to wait long]?
o: Found by the code: the order {order} is paid and [packed|in the queue for packing]. [It leaves|Dispatch is] on {next}, {name}, a message follows.
# Change the goods in an order
c: @hi order {order}: I took a {product} [in the wrong colour|of the wrong size], can it be [changed|swapped] before dispatch?
o: @hello it is not packed yet. Which [colour|version] do you want, [black, silver or blue|black or white]? The price may differ.
c: [Black|Blue|Silver], please. And add a [case|protective film|second cable] for {fee}.
o: Changed: together {price}, the difference of {fee} can be paid [by the same card|on delivery]. Does the address {address} remain?
c: It remains. [Will it be later now|Is the date the same]?
o: The date is the same: {next} between {window}. The new confirmation went to {email}, {name}.
# Out of stock after payment
c: @hi [I paid|I have paid] {price} for order {order}, and now I get a message that the {product} is [out of stock|not available]. [How can that be|That is not serious]!
o: @sorry. The last one turned out to be [damaged|a showroom item with a scratch]. I can offer the next delivery on {deadline} or a [full refund|newer model].
c: [How much is the newer one|What does the newer one cost]? I need it [for a birthday|before a trip] on {next}.
o: It is {fee} dearer, but [we give it for the same money|the difference is on us], because the fault is ours. It can be with you before {next}.
c: [Very decent|That is fair], I agree. [Send it|Please dispatch it] to the same address.
o: Dispatched under order {order} with priority. The tracking number {parcel} [starts working tonight|will be visible in an hour], {name}.
# Pay by instalments
c: @hi can I take a {product} for {price} [by instalments|in parts] without a bank? I am your client, contract {contract}.
o: @hello yes: up to [six|ten] payments on the internet bill without interest, if the contract is older than [half a year|a year] and [there were no debts|bills were paid in time].
c: It is [three|five] years old, [always paid in time|no debts]. How much would it be [a month|monthly]?
o: In six parts the first is {amount} today, the rest with the bill. [The early payoff is free|You can pay all at once any day].
c: @ok, how do we [sign it|make the contract]? I am [not in the city|at work until {time}].
o: By a code from a text to {phone}. The order is {order}; please [dictate nobody the code|type it only on our site], {name}.
# Cancel an order
c: @hi please cancel order {order}, [I found it cheaper|a present of the same kind came|I changed my mind]. It was paid: {price}.
o: @hello the order is [packed but not sent|still in the warehouse], so it can be cancelled. Is the money to go [back to the card *{last4}|to the card] or to the contract?
c: To the card. [When will it come|How many days]?
o: The refund {request} is [made|created]: up to [five|seven] banking days, usually by {next}. [May I ask the price you found|Where is it cheaper, if I may]?
c: By {fee} cheaper in [a marketplace|another shop], and with [a case|delivery] included.
o: I can give the same price and delivery tomorrow. [If not, no hard feelings|If you do not want it, I understand], {name}: the refund goes on.
# Promo code does not work
c: @hi the promo code [SPRING|VERBA10|WELCOME] for ten percent [is not accepted|gives an error] on a {product}, {price}. It is [valid until {deadline}|not expired].
o: @hello the code is fine, but it [does not add up with|excludes] goods that are already discounted, and this one has minus {fee}.
c: [That was not written|The letter said nothing about it]. I [chose the shop because of it|waited for this sale].
o: @so you are right, it stands only in the rules at the bottom. I can [apply it by hand|make an exception] once: order it, and tell me the number.
c: Order {order}, [not paid yet|I have not paid].
o: Ten percent are off, please refresh the page and pay [by card|with the new sum]. The exception is noted in request {request}, {name}.
# Order for a company
c: @hi we want [twelve|twenty|eight] pieces of {product} for an office, with [a contract and invoice|VAT]. [Is there a discount|What price can you make]?
o: @hello from ten pieces there is a discount of [seven|eight] percent. Please send the company details and the delivery address to this chat.
c: Northgate Consulting LLC, code {code}, {address}. Delivery [on working days|in the morning], the floor is [fifth, with a lift|second].
o: The invoice for {price} a piece minus the discount went to {email}, it is valid until {deadline}. [The goods are reserved|I have set a reserve].
c: [Accounting will pay|It will be paid] on {next}. Is the guarantee [for the company|on each piece]?
o: @yes, each has its own card with a serial number. The order is {order}; the manager [calls you after the payment|will call to agree the time], {name}.
# Gift wrapping and a note
c: @hi I am ordering a {product} as a [birthday|wedding] present, order {order}. Can you [wrap it|pack it nicely] and add a [card|note]?
o: @hello @yes, {fee} for the paper and ribbon, the card is free. [Which text|What should it say]?
c: "[Happy birthday|Happy wedding day], from the whole family". And [no prices in the parcel|please leave the receipt out].
o: The receipt comes to {email} only. The parcel goes to {address} on {next} between {window}; [shall we call the receiver|whose phone do we give the courier]?
c: Call me, {phone}, [it is a surprise|she must not know].
o: Understood: the courier calls {phone} only. [The photo of the parcel|A picture of how it looks] follows before dispatch, order {order}.
# Order status not changing
c: @hi the status of order {order} has been ["processing"|"being prepared"] since {date}. [How long does one pack a|Is it so hard to pack a] {product}?
o: @sorry. The order hung at the [warehouse|payment check], your {product} is [there and reserved|on the shelf], nobody pressed the button.
c: [And what now|So what next]? I [counted on the weekend|promised it to my son] by {next}.
o: I have asked to send it today by [express|courier] at our cost. The tracking number {parcel} [appears after {time}|will be in a text by {time}].
c: @ok, [I hope so|let us see]. If it [does not leave today|is late again]?
o: Then write here, request {request} is on me personally: you get {fee} off or [a refund|the money back], as you like, {name}.
# Wrong phone in the order
c: @hi I wrote the wrong phone in order {order}: [one digit is missing|the old number]. The correct one is {phone}. [Will the courier find me|Can it be changed]?
o: @hello it can: the order is [not handed to the courier yet|in the warehouse until {time}]. Is the address {address} correct?
c: The address is right, [entrance two, code {last4}|the door code is {last4}].
o: Saved: {phone} and the code. The delivery is on {next} between {window}; [the courier calls half an hour before|he calls before he comes].
c: [Good|Great]. Can my [neighbour|mother] [take it|receive it] if I am late?
o: @yes, tell the courier her name. For the {product} she needs the [code from the text|last digits of the order]: {order}, {name}.
`,
  uk: `
# Замовлення не підтверджено
c: @hi {date} <замовив|замовила> {product}, замовлення {order}, і [ніхто не підтвердив|підтвердження немає]. [Воно живе|Що з ним]?
o: @hello @looked: замовлення {order} [чекає на оплату|на паузі], банк [не повідомив|не підтвердив] {price}.
c: [Гроші зняли|Банк показує оплату], {price}, картка *{last4}. [Можу надіслати квитанцію|Надіслати підтвердження]?
o: @so надішліть, будь ласка, [квитанцію|знімок екрана]. [Тим часом|Доти] товар зарезервовано, щоб [ніхто не забрав|його не розкупили].
c: Надіслано, код оплати {payment}. [Що далі|Довго чекати]?
o: За кодом знайшлося: {order} оплачено й [запаковано|стоїть у черзі на пакування]. [Виїде|Відправлення] {next}, {name}, прийде повідомлення.
# Змінити товар у замовленні
c: @hi замовлення {order}: {product} [не того кольору|не тієї версії], можна [змінити|поміняти] до відправлення?
o: @hello Ще не запаковано. Який [колір|варіант] потрібен, [чорний, сріблястий чи синій|чорний чи білий]? Ціна може відрізнятися.
c: [Чорний|Синій|Сріблястий], будь ласка. І додайте [чохол|захисну плівку|другий кабель] за {fee}.
o: Змінено: разом {price}, різницю {fee} можна сплатити [тією ж карткою|під час доставки]. Адреса {address} лишається?
c: Лишається. [Тепер буде пізніше|Дата та сама]?
o: Дата та сама: {next}, {window}. Нове підтвердження пішло на {email}, {name}.
# Оплачено, а товару немає
c: @hi [сплачено|вже оплачено] {price} за замовлення {order}, а тепер пишуть, що {product} [закінчився|відсутній на складі]. [Як це так|Це несерйозно]!
o: @sorry. Останній виявився [пошкодженим|вітринним, із подряпиною]. Можу запропонувати наступну поставку {deadline} або [повне повернення|новішу модель].
c: [Скільки коштує новіша|А яка ціна новішої]? Потрібно [на день народження|до поїздки], {next}.
o: На {fee} дорожча, але [віддамо за ті самі гроші|різниця за наш рахунок], бо помилка наша. Буде у вас раніше ніж {next}.
c: [Дуже порядно|Це чесно], згода. [Надсилайте|Відправляйте] на ту саму адресу.
o: Відправлено з пріоритетом, замовлення {order}. Номер посилки {parcel} [запрацює ввечері|буде видно за годину], {name}.
# Купити частинами
c: @hi чи можна взяти {product} за {price} [частинами|на виплат] без банку? Я ваш клієнт, договір {contract}.
o: @hello Так: до [шести|десяти] платежів у рахунку за інтернет без відсотків, якщо договору більше [пів року|року] і [не було боргів|рахунки оплачено вчасно].
c: Йому [три|п'ять] років, [плачу вчасно|боргів немає]. Скільки вийде [на місяць|щомісяця]?
o: На шість частин перша — {amount} сьогодні, решта з рахунком. [Достроково — без комісії|Закрити можна будь-якого дня].
c: @ok, як [оформити|підписати]? Я [не в місті|на роботі до {time}].
o: Кодом із СМС на {phone}. Замовлення {order}; код [нікому не диктуйте|вводьте лише на нашому сайті], {name}.
# Скасувати замовлення
c: @hi скасуйте, будь ласка, замовлення {order}: [є дешевше|такий самий подарували|<передумав|передумала>]. Воно оплачене: {price}.
o: @hello Замовлення [запаковане, але не відправлене|ще на складі], тож скасувати можна. Гроші [на картку *{last4}|на картку] чи на договір?
c: На картку. [Коли прийдуть|Скільки чекати]?
o: Повернення {request} [оформлено|створено]: до [п'яти|семи] банківських днів, зазвичай до {next}. [Чи можна спитати, яка там ціна|А де дешевше, якщо не секрет]?
c: На {fee} дешевше [на маркетплейсі|в іншому магазині], ще й [чохол|доставка] в подарунок.
o: Можемо дати ту саму ціну й привезти завтра. [Якщо ні — без образ|Не захочете — зрозуміємо], {name}: повернення йде далі.
# Не працює промокод
c: @hi промокод [ВЕСНА|VERBA10|ВІТАЮ] на десять відсотків [не приймається|видає помилку], беру {product}, {price}. Він [діє до {deadline}|ще чинний].
o: @hello Код справний, але [не поширюється на товари|не діє на товари] зі знижкою, а тут уже мінус {fee}.
c: [Про це не писали|У листі про це ані слова]. Саме [через нього <обрав|обрала> ваш магазин|цього розпродажу й <чекав|чекала>].
o: @so ваша правда, це лише внизу в правилах. Можу раз [застосувати вручну|зробити виняток]: оформте замовлення й напишіть номер.
c: Замовлення {order}, [ще не оплачено|не <платив|платила>].
o: Десять відсотків знято, оновіть сторінку й платіть [карткою|нову суму]. Виняток записано в заявці {request}, {name}.
# Замовлення для фірми
c: @hi потрібно [дванадцять|двадцять|вісім] одиниць, {product}, в офіс, з [договором і рахунком|ПДВ]. [Знижка буде|Яку ціну дасте]?
o: @hello Від десяти одиниць знижка [сім|вісім] відсотків. Надішліть, будь ласка, реквізити й адресу доставки в цей чат.
c: ТОВ «Північна брама», код {code}, {address}. Доставка [в робочі дні|зранку], поверх [п'ятий, є ліфт|другий].
o: Рахунок, {price} за одиницю мінус знижка, пішов на {email}, чинний до {deadline}. [Товар зарезервовано|Резерв поставлено].
c: Бухгалтерія [заплатить|проведе оплату] {next}. Гарантія [на фірму|на кожну одиницю]?
o: @yes, у кожної свій талон із серійним номером. Замовлення {order}; менеджер [зателефонує після оплати|узгодить час], {name}.
# Подарункове пакування
c: @hi замовляю {product} у подарунок на [день народження|весілля], замовлення {order}. Можна [загорнути|гарно запакувати] й додати [листівку|записку]?
o: @hello @yes, {fee} за папір і стрічку, листівка безкоштовна. [Який текст|Що написати]?
c: «[З днем народження|З весіллям], уся родина». І [без цін у посилці|чек, будь ласка, не кладіть].
o: Чек піде лише на {email}. Посилка: {address}, {next}, {window}; [дзвонити одержувачеві|чий телефон дати кур'єрові]?
c: Дзвоніть мені, {phone}, [це сюрприз|вона не повинна знати].
o: Зрозуміло: кур'єр дзвонить лише на {phone}. [Фото пакунка|Знімок, як це виглядає], надішлемо перед відправленням, замовлення {order}.
# Статус не змінюється
c: @hi статус замовлення {order} з {date} [«обробляється»|«готується»]. [Скільки можна пакувати|Хіба так довго пакувати] {product}?
o: @sorry. Замовлення зависло [на складі|на перевірці оплати], товар [є й зарезервований|лежить на полиці], просто ніхто не натиснув кнопку.
c: [І що тепер|То що далі]? Я <розраховував|розраховувала> [на вихідні|подарувати синові], {next}.
o: Просимо відправити сьогодні [експресом|кур'єром] нашим коштом. Номер посилки {parcel} [з'явиться після {time}|прийде в СМС до {time}].
c: @ok, [сподіваюся|побачимо]. А якщо [сьогодні не поїде|знову затримається]?
o: Тоді пишіть сюди, заявка {request} на моєму контролі: {fee} знижки або [повернення|гроші назад], як захочете, {name}.
# Неправильний телефон у замовленні
c: @hi у замовленні {order} неправильний телефон: [бракує цифри|там старий номер]. Правильний {phone}. [Кур'єр мене знайде|Можна змінити]?
o: @hello Можна: замовлення [ще не передали кур'єрові|на складі до {time}]. Адреса {address} правильна?
c: Адреса так, [другий під'їзд, код {last4}|код дверей {last4}].
o: Збережено: {phone} і код. Доставка {next} {window}; [кур'єр дзвонить за пів години|перед візитом він телефонує].
c: [Добре|Чудово]. А якщо запізнюся, [сусідка|мама] може [забрати|прийняти]?
o: @yes, скажіть кур'єрові її ім'я. Щоб віддали {product}, знадобиться [код із СМС|номер замовлення]: {order}, {name}.
`,
  ru: `
# Заказ не подтверждён
c: @hi {date} <заказал|заказала> {product}, заказ {order}, и [никто не подтвердил|подтверждения нет]. [Он жив|Что с ним]?
o: @hello @looked: заказ {order} [ждёт оплаты|на паузе], банк [не сообщил|не подтвердил] {price}.
c: [Деньги сняли|Банк показывает оплату], {price}, карта *{last4}. [Могу прислать квитанцию|Прислать подтверждение]?
o: @so пришлите, пожалуйста, [квитанцию|снимок экрана]. [Тем временем|Пока] товар зарезервирован, чтобы [никто не забрал|его не раскупили].
c: Отправлено, код оплаты {payment}. [Что дальше|Долго ждать]?
o: По коду нашлось: {order} оплачен и [упакован|стоит в очереди на упаковку]. [Выедет|Отправка] {next}, {name}, придёт сообщение.
# Изменить товар в заказе
c: @hi заказ {order}: {product} [не того цвета|не той версии], можно [изменить|поменять] до отправки?
o: @hello Ещё не упаковано. Какой [цвет|вариант] нужен, [чёрный, серебристый или синий|чёрный или белый]? Цена может отличаться.
c: [Чёрный|Синий|Серебристый], пожалуйста. И добавьте [чехол|защитную плёнку|второй кабель] за {fee}.
o: Изменено: вместе {price}, разницу {fee} можно оплатить [той же картой|при доставке]. Адрес {address} остаётся?
c: Остаётся. [Теперь будет позже|Дата та же]?
o: Дата та же: {next}, {window}. Новое подтверждение ушло на {email}, {name}.
# Оплачено, а товара нет
c: @hi [оплачено|уже оплачено] {price} за заказ {order}, а теперь пишут, что {product} [закончился|отсутствует на складе]. [Как это так|Это несерьёзно]!
o: @sorry. Последний оказался [повреждённым|витринным, с царапиной]. Могу предложить следующую поставку {deadline} или [полный возврат|модель поновее].
c: [Сколько стоит новая|А какая цена у новой]? Нужно [на день рождения|до поездки], {next}.
o: На {fee} дороже, но [отдадим за те же деньги|разница за наш счёт], раз ошибка наша. Будет у вас раньше чем {next}.
c: [Очень порядочно|Это честно], согласны. [Присылайте|Отправляйте] на тот же адрес.
o: Отправлено с приоритетом, заказ {order}. Номер посылки {parcel} [заработает вечером|будет виден через час], {name}.
# Купить частями
c: @hi можно ли взять {product} за {price} [частями|в рассрочку] без банка? Я ваш клиент, договор {contract}.
o: @hello Да: до [шести|десяти] платежей в счёте за интернет без процентов, если договору больше [полугода|года] и [не было долгов|счета оплачены вовремя].
c: Ему [три года|пять лет], [плачу вовремя|долгов нет]. Сколько выйдет [в месяц|ежемесячно]?
o: На шесть частей первая — {amount} сегодня, остальное со счётом. [Досрочно — без комиссии|Закрыть можно в любой день].
c: @ok, как [оформить|подписать]? Я [не в городе|на работе до {time}].
o: Кодом из СМС на {phone}. Заказ {order}; код [никому не диктуйте|вводите только на нашем сайте], {name}.
# Отменить заказ
c: @hi отмените, пожалуйста, заказ {order}: [есть дешевле|такой же подарили|<передумал|передумала>]. Он оплачен: {price}.
o: @hello Заказ [упакован, но не отправлен|ещё на складе], так что отменить можно. Деньги [на карту *{last4}|на карту] или на договор?
c: На карту. [Когда придут|Сколько ждать]?
o: Возврат {request} [оформлен|создан]: до [пяти|семи] банковских дней, обычно до {next}. [Можно спросить, какая там цена|А где дешевле, если не секрет]?
c: На {fee} дешевле [на маркетплейсе|в другом магазине], ещё и [чехол|доставка] в подарок.
o: Можем дать ту же цену и привезти завтра. [Если нет — без обид|Не захотите — поймём], {name}: возврат идёт дальше.
# Не работает промокод
c: @hi промокод [ВЕСНА|VERBA10|ПРИВЕТ] на десять процентов [не принимается|выдаёт ошибку], беру {product}, {price}. Он [действует до {deadline}|ещё в силе].
o: @hello Код исправен, но [не складывается со|не действует на товары со] скидкой, а тут уже минус {fee}.
c: [Об этом не писали|В письме об этом ни слова]. Именно [из-за него <выбрал|выбрала> ваш магазин|этой распродажи и <ждал|ждала>].
o: @so вы правы, это только внизу в правилах. Могу раз [применить вручную|сделать исключение]: оформите заказ и напишите номер.
c: Заказ {order}, [ещё не оплачен|не <платил|платила>].
o: Десять процентов снято, обновите страницу и платите [картой|новую сумму]. Исключение записано в заявке {request}, {name}.
# Заказ для фирмы
c: @hi нужно [двенадцать|двадцать|восемь] единиц, {product}, в офис, с [договором и счётом|НДС]. [Скидка будет|Какую цену дадите]?
o: @hello От десяти единиц скидка [семь|восемь] процентов. Пришлите, пожалуйста, реквизиты и адрес доставки в этот чат.
c: ООО «Северные ворота», код {code}, {address}. Доставка [в рабочие дни|с утра], этаж [пятый, есть лифт|второй].
o: Счёт, {price} за единицу минус скидка, ушёл на {email}, действует до {deadline}. [Товар зарезервирован|Резерв поставлен].
c: Бухгалтерия [заплатит|проведёт оплату] {next}. Гарантия [на фирму|на каждую единицу]?
o: @yes, у каждой свой талон с серийным номером. Заказ {order}; менеджер [позвонит после оплаты|согласует время], {name}.
# Подарочная упаковка
c: @hi заказываю {product} в подарок на [день рождения|свадьбу], заказ {order}. Можно [завернуть|красиво упаковать] и добавить [открытку|записку]?
o: @hello @yes, {fee} за бумагу и ленту, открытка бесплатная. [Какой текст|Что написать]?
c: «[С днём рождения|С днём свадьбы], вся семья». И [без цен в посылке|чек, пожалуйста, не кладите].
o: Чек уйдёт только на {email}. Посылка: {address}, {next}, {window}; [звонить получателю|чей телефон дать курьеру]?
c: Звоните мне, {phone}, [это сюрприз|она не должна знать].
o: Понятно: курьер звонит только на {phone}. [Фото свёртка|Снимок, как это выглядит], пришлём перед отправкой, заказ {order}.
# Статус не меняется
c: @hi статус заказа {order} с {date} [«обрабатывается»|«готовится»]. [Сколько можно упаковывать|Неужели так долго упаковать] {product}?
o: @sorry. Заказ завис [на складе|на проверке оплаты], товар [есть и зарезервирован|лежит на полке], просто никто не нажал кнопку.
c: [И что теперь|Так что дальше]? Я <рассчитывал|рассчитывала> [на выходные|подарить сыну], {next}.
o: Просим отправить сегодня [экспрессом|курьером] за наш счёт. Номер посылки {parcel} [появится после {time}|придёт в СМС до {time}].
c: @ok, [надеюсь|посмотрим]. А если [сегодня не уедет|снова задержится]?
o: Тогда пишите сюда, заявка {request} на моём контроле: {fee} скидки или [возврат|деньги назад], как захотите, {name}.
# Неверный телефон в заказе
c: @hi в заказе {order} неверный телефон: [не хватает цифры|там старый номер]. Правильный {phone}. [Курьер меня найдёт|Можно изменить]?
o: @hello Можно: заказ [ещё не передан курьеру|на складе до {time}]. Адрес {address} верный?
c: Адрес да, [второй подъезд, код {last4}|код двери {last4}].
o: Сохранено: {phone} и код. Доставка {next} {window}; [курьер звонит за полчаса|перед визитом он звонит].
c: [Хорошо|Отлично]. А если опоздаю, [соседка|мама] может [забрать|принять]?
o: @yes, скажите курьеру её имя. Чтобы отдали {product}, понадобится [код из СМС|номер заказа]: {order}, {name}.
`
}
