// Delivery: dialogue plans about parcels, couriers, branches, delays and damage on the way (form: see DialoguePlan.ts).
import type { SubjectDialogues } from "../DialoguePlan.ts"

export const delivery: SubjectDialogues = {
  en: `
# Where is my parcel
c: @hi where is my parcel {parcel}? [It was to come on {date}|It was promised for {date}], and the tracking [has not moved|stands still].
o: @hello @looked: {parcel} was sorted to the wrong city and [is on its way back|turns round today].
c: [Wonderful|Oh dear]. I need the {product} [by the weekend|for work]. [When exactly|So when]?
o: It reaches your branch on {next}. If you like, a courier [brings it home|takes it to your door] at our cost, as the mistake is ours.
c: Home then: {address}, [after {time}|any time after {time}].
o: Written down, order {order}. {name}, the courier [calls an hour before|will ring {phone}], and the delivery fee of {fee} goes back to you.
# Change the branch
c: @hi parcel {parcel} goes to branch {branch}, but I [am in another part of town|have moved]. Can it be [redirected|sent on] to {street}?
o: @hello while it is on the road it can. The redirection takes [a day|one day more] and costs {fee}, for our subscribers [free once a month|it is free]. Shall I?
c: [Yes please|Please do]. The nearest branch to {street} is [next to the market|on the corner].
o: Redirected: the new arrival is {next}. The text with the code [goes to {phone}|comes to {phone}]; it is kept for [five|seven] days.
c: And if [I am on a business trip|I cannot come] until {deadline}?
o: Then I extend the storage to {deadline}, it is noted with the order {order}. {name}, [do not forget an ID|take the code along].
# Courier did not call
c: @hi the courier [wrote "nobody at home"|marked "refused"] on order {order}, though I [was at home all day|waited between {window}]. [Nobody called|The phone was silent]!
o: @sorry. In his log there is a call to {phone} at {time}. [Is it your number|Is there a mistake in it]?
c: [Mine, no missed calls|It is mine, and the list of calls is empty]. [I can send a screenshot|Check it, please].
o: I believe you; the note goes to the [carrier|head of the couriers]. A new delivery to {address} is possible today after {time} or on {next}.
c: Today, [if that is real|please]. I leave [at eight|in an hour after that].
o: Agreed with another courier, his visit is [confirmed|set] for {time}. As an apology {fee} is on your contract {contract}, {name}.
# Box damaged on the way
c: @hi I am at branch {branch}, the box of order {order} is [crushed|wet|torn open]. Shall I [take it|sign]? It is a {product}.
o: @hello do not sign yet. Ask for an act of damage and [open it in front of the operator|look inside together]. Is the {product} whole?
c: The corner is [dented|cracked], it [switches on|does not switch on]. They are writing the act, number {request}.
o: @so please send a photo of the act and leave the goods there. A new one leaves our warehouse [today|tonight], you pay nothing.
c: Sent. [How long|How many days] this time, I paid {price} already?
o: It is with you on {next}, delivery to {address} by courier. The claim to the carrier [is our business|we handle ourselves], {name}, order {order}.
# Deliver at a given hour
c: @hi order {order} comes on {next}. I am at home [only in the evening|only till noon]. Can the courier come [after {time}|at about {time}]?
o: @hello the usual window is {window}. [An exact hour|Delivery at a fixed hour] costs {fee}. Or leave it with [the concierge|a neighbour].
c: There is no [concierge|neighbour I trust]. I will [pay {fee}|take the fixed hour]. [Does he accept cards|Can I pay him by card]?
o: @yes, by card or online. The hour is fixed: {time}, {address}, the phone {phone}.
c: The intercom [does not work|is broken], he should [call|ring me] from below.
o: Added for the courier. {name}, if plans change, write before [nine|ten] in the morning with the number {order}.
# Delivery to a village
c: @hi do you deliver to a village? There is [no branch|only a mobile post office], the nearest branch {branch} is [twelve|twenty] kilometres away. Order {order}.
o: @hello there is delivery by a [mobile branch|post van] twice a week, on [Tuesday and Friday|Monday and Thursday]. For a {product} it costs {fee}.
c: [That suits me|Fine]. Do I [pay in advance|pay on receipt], {price}?
o: @so as you wish; cash on delivery adds [two percent|a small fee]. The address is {street}, the house number?
c: House [seven|fifteen|twenty-two], the one with [blue gates|a big walnut tree]. Phone {phone}.
o: Written: it arrives on {next}, the driver calls [from the village council|when he enters the village]. The parcel is {parcel}, {name}.
# Only part of the order came
c: @hi of order {order} only [one box of two|half] has come: the {product} is here, the [case|cable|second box] is not. The list says both.
o: @hello the order was shipped in two parcels, the second, {parcel}, [is still on the road|left a day later].
c: [Nobody told me|It was not written anywhere]. [Do I have to go again|Must I come twice] to branch {branch}?
o: @so not necessarily: I can [send the second one by courier|redirect it to a parcel locker] at {street} without payment.
c: The [locker|courier] is good. [When|On which day]?
o: On {next}, the code [comes to {phone}|goes to your phone]. Sorry for the confusion, {name}; we have noted it for the shop, request {request}.
# Parcel locker will not open
c: @hi I stand at the parcel locker, {street}, the code {last4} [does not open it|gives an error], parcel {parcel}. [It is raining|There is a queue behind me].
o: @hello one minute. Is the screen [lit|on], and do you see a [cell number|number of the cell]?
c: Cell [fourteen|nine|thirty-one], it [clicked but did not open|says "call support"].
o: @so I have sent the command again, please [press the door lightly|knock on the door] and pull in [ten|five] seconds.
c: [It opened|Open], the {product} [is here|is mine]! [Modern times|A miracle].
o: Glad it did. A technician [checks|looks at] that cell on {next}, request {request}. {name}, the storage fee of {fee} is not charged.
# Delivery abroad
c: @hi can you send a {product} to [Poland|Czechia|Germany]? [My daughter studies there|We live there for now]. Order {order}.
o: @hello @yes, [seven to ten|six to nine] days. The price of delivery is {amount}, the duty above 150 euros is paid by the receiver.
c: It is {price}, [so no duty|so there may be duty]. What [papers|documents] are needed?
o: @so only the receiver's name, address with postcode and phone. The guarantee is valid [in Ukraine only|at our service here], please bear that in mind.
c: [Fine|That is clear]. I will write all that [in the evening|a little later].
o: Send it by {deadline}, the goods are reserved. For declarations {name}, we put the invoice {request} [on the box|into the pocket outside].
# Postpone a delivery
c: @hi order {order} comes on {next}, and we [leave for a week|are in hospital|go to my parents]. Can it [wait|come later]?
o: @hello the warehouse keeps it free of charge up to [fourteen|ten] days. Which date [is convenient|do you choose]?
c: [After|Not before] {deadline}, between {window}. The price {price} [stays the same|will not change]?
o: It stays, it is fixed at the order. The new date is {deadline}, {window}, address {address}.
c: [Wonderful|Perfect]. And if we [come back earlier|return sooner]?
o: Write "earlier" and {order} here, [we send it the next day|it can leave the same evening]. {name}, [safe travels|all the best]!
`,
  uk: `
# Де моя посилка
c: @hi де моя посилка {parcel}? [Мала бути {date}|Обіцяли {date}], а статус [не змінюється|стоїть на місці].
o: @hello @looked: {parcel} помилково відсортували в інше місто, вона [вже повертається|сьогодні їде назад].
c: [Чудово|Отакої]. {product} [потрібен до вихідних|потрібен для роботи]. [Коли точно|То коли]?
o: У вашому відділенні буде {next}. За бажання кур'єр [привезе додому|доставить до дверей] нашим коштом, бо помилка наша.
c: Тоді додому: {address}, [після {time}|будь-коли після {time}].
o: Записано, замовлення {order}. {name}, кур'єр [зателефонує за годину|набере {phone}], а {fee} за доставку повернемо.
# Змінити відділення
c: @hi посилка {parcel} їде у відділення № {branch}, а я [в іншому районі|вже не там живу]. Можна [переадресувати|переслати] на {street}?
o: @hello Доки в дорозі — можна. Переадресування займе [добу|ще день] і коштує {fee}, для абонентів [раз на місяць безкоштовно|безкоштовно]. Робимо?
c: [Так, прошу|Так, будь ласка]. Найближче відділення до {street} — [біля ринку|на розі].
o: Переадресовано: нова дата {next}. СМС із кодом [піде на {phone}|прийде на {phone}]; зберігання [п'ять|сім] днів.
c: А якщо я [у відрядженні|не зможу] до {deadline}?
o: Тоді подовжимо зберігання до {deadline}, записано при замовленні {order}. {name}, [не забудьте документ|візьміть код].
# Кур'єр не подзвонив
c: @hi кур'єр [написав «нікого немає»|поставив «відмова»] на замовленні {order}, хоча я [весь день удома|<чекав|чекала> {window}]. [Ніхто не дзвонив|Телефон мовчав]!
o: @sorry. У його журналі є дзвінок на {phone} о {time}. [Це ваш номер|Немає помилки в номері]?
c: [Мій, пропущених немає|Номер мій, а дзвінків не було]. [Можу надіслати знімок|Перевірте, будь ласка].
o: Вірю вам; зауваження піде [перевізникові|старшому кур'єрів]. Повторна доставка за адресою {address} можлива сьогодні після {time} або {next}.
c: Сьогодні, [якщо це реально|будь ласка]. Потім [за годину|о восьмій] мене не буде.
o: Узгоджено з іншим кур'єром, візит [підтверджено|призначено] на {time}. Як вибачення {fee} на договорі {contract}, {name}.
# Пошкоджена коробка
c: @hi я у відділенні № {branch}, коробка замовлення {order} [зім'ята|мокра|надірвана]. [Забирати|Підписувати]? Там {product}.
o: @hello Поки не підписуйте. Попросіть акт пошкодження і [відкрийте при працівникові|гляньте разом усередину]. Чи цілий {product}?
c: Кут [зім'ятий|тріснув], [вмикається|не вмикається]. Складають акт, номер {request}.
o: @so надішліть, будь ласка, фото акта, а товар лишіть там. Новий виїде зі складу [сьогодні|сьогодні вночі], платити не треба.
c: Надіслано. [Скільки цього разу|Довго чекати], я вже <сплатив|сплатила> {price}?
o: Буде у вас {next}, кур'єром на адресу {address}. Претензія до перевізника — [наша справа|наш клопіт], {name}, замовлення {order}.
# Доставка на певну годину
c: @hi замовлення {order} привезуть {next}. Я вдома [лише ввечері|лише до обіду]. Чи може кур'єр бути [після {time}|десь о {time}]?
o: @hello Звичайний проміжок — {window}. [Точна година|Доставка на годину] коштує {fee}. Або можна лишити [консьєржці|сусідам].
c: [Консьєржки|Таких сусідів] немає. Тоді [плачу {fee}|беру точну годину]. [Карткою можна|Він приймає картки]?
o: @yes, карткою або онлайн. Годину зафіксовано: {time}, {address}, телефон {phone}.
c: Домофон [не працює|зламаний], нехай [зателефонує|набере] знизу.
o: Додано для кур'єра. {name}, якщо плани зміняться, напишіть до [дев'ятої|десятої] ранку, номер {order}.
# Доставка в село
c: @hi чи возите в село? Відділення [немає|лише пересувне], найближче № {branch} за [дванадцять|двадцять] кілометрів. Замовлення {order}.
o: @hello Є [пересувне відділення|поштове авто] двічі на тиждень, [вівторок і п'ятниця|понеділок і четвер]. За {product} вийде {fee}.
c: [Підходить|Добре]. Платити [наперед|під час отримання], {price}?
o: @so як зручно; за післяплату [два відсотки|невелика комісія]. Вулиця {street}, а будинок?
c: Будинок [сім|п'ятнадцять|двадцять два], той, що з [синіми воротами|великим горіхом]. Телефон {phone}.
o: Записано: приїде {next}, водій зателефонує [від сільради|на в'їзді]. Посилка {parcel}, {name}.
# Приїхала лише частина
c: @hi із замовлення {order} приїхала лише [одна коробка з двох|половина]: {product} є, а [чохла|кабелю|другої коробки] немає. У накладній обидва.
o: @hello Замовлення їде двома посилками, друга, {parcel}, [ще в дорозі|виїхала на день пізніше].
c: [Ніхто не сказав|Про це ніде не писали]. [Знову йти|Двічі ходити] у відділення № {branch}?
o: @so не обов'язково: другу можемо [надіслати кур'єром|переадресувати в поштомат], {street}, без оплати.
c: [Поштомат|Кур'єр] — це добре. [Коли|Якого дня]?
o: {next}, код [прийде на {phone}|буде в СМС]. Перепрошуємо за плутанину, {name}; зауваження передано магазинові, {request}.
# Не відкривається поштомат
c: @hi стою біля поштомата, {street}, код {last4} [не відкриває|видає помилку], посилка {parcel}. [Іде дощ|За мною черга].
o: @hello Хвилинку. Екран [світиться|працює], [номер комірки видно|яка комірка]?
c: Комірка [чотирнадцять|дев'ять|тридцять один], [клацнула, та не відчинилася|пише «зверніться до підтримки»].
o: @so команду надіслано ще раз, [злегка притисніть дверцята|постукайте по дверцятах] і потягніть за [десять|п'ять] секунд.
c: [Відчинилося|Є], {product} [у мене|забрано]! [Дива техніки|Оце так].
o: От і добре. Технік [перевірить|огляне] комірку {next}, заявка {request}. {name}, за зберігання {fee} не беремо.
# Доставка за кордон
c: @hi чи можна надіслати {product} до [Польщі|Чехії|Німеччини]? [Там навчається донька|Ми поки там живемо]. Замовлення {order}.
o: @hello @yes, [сім-десять|шість-дев'ять] днів. Доставка {amount}, мито понад 150 євро сплачує одержувач.
c: Ціна {price}, [тож без мита|тож мито може бути]. Які [папери|документи] потрібні?
o: @so лише ім'я одержувача, адреса з індексом і телефон. Гарантія діє [тільки в Україні|в нашому сервісі тут], майте це на увазі.
c: [Добре|Зрозуміло]. Усе це напишу [ввечері|трохи пізніше].
o: Надішліть до {deadline}, товар у резерві. Для декларації, {name}, інвойс {request} буде [на коробці|в кишені зовні].
# Відкласти доставку
c: @hi замовлення {order} приїде {next}, а ми [їдемо на тиждень|у лікарні|їдемо до батьків]. Може [зачекати|приїхати пізніше]?
o: @hello Склад тримає безкоштовно до [чотирнадцяти|десяти] днів. Яка дата [зручна|підійде]?
c: [Після|Не раніше] {deadline}, {window}. Ціна {price} [лишається|не зміниться]?
o: Лишається, її зафіксовано під час замовлення. Нова дата {deadline}, {window}, адреса {address}.
c: [Чудово|Прекрасно]. А якщо [повернемося раніше|приїдемо швидше]?
o: Напишіть сюди «раніше» і {order}, [надішлемо наступного дня|виїде того ж вечора]. {name}, [щасливої дороги|усього доброго]!
`,
  ru: `
# Где моя посылка
c: @hi где моя посылка {parcel}? [Должна была быть {date}|Обещали {date}], а статус [не меняется|стоит на месте].
o: @hello @looked: {parcel} по ошибке отсортировали в другой город, она [уже возвращается|сегодня едет обратно].
c: [Чудесно|Вот это да]. {product} [нужен к выходным|нужен для работы]. [Когда точно|Так когда]?
o: В вашем отделении будет {next}. По желанию курьер [привезёт домой|доставит до двери] за наш счёт, раз ошибка наша.
c: Тогда домой: {address}, [после {time}|когда угодно после {time}].
o: Записано, заказ {order}. {name}, курьер [позвонит за час|наберёт {phone}], а {fee} за доставку вернём.
# Сменить отделение
c: @hi посылка {parcel} едет в отделение № {branch}, а я [в другом районе|уже не там живу]. Можно [переадресовать|переслать] на {street}?
o: @hello Пока в дороге — можно. Переадресация займёт [сутки|ещё день] и стоит {fee}, для абонентов [раз в месяц бесплатно|бесплатно]. Делаем?
c: [Да, прошу|Да, пожалуйста]. Ближайшее отделение к {street} — [у рынка|на углу].
o: Переадресовано: новая дата {next}. СМС с кодом [уйдёт на {phone}|придёт на {phone}]; хранение [пять|семь] дней.
c: А если я [в командировке|не смогу] до {deadline}?
o: Тогда продлим хранение до {deadline}, записано при заказе {order}. {name}, [не забудьте документ|возьмите код].
# Курьер не позвонил
c: @hi курьер [написал «никого нет»|поставил «отказ»] на заказе {order}, хотя я [весь день дома|<ждал|ждала> {window}]. [Никто не звонил|Телефон молчал]!
o: @sorry. В его журнале есть звонок на {phone} в {time}. [Это ваш номер|Нет ошибки в номере]?
c: [Мой, пропущенных нет|Номер мой, а звонков не было]. [Могу прислать снимок|Проверьте, пожалуйста].
o: Верю вам; замечание уйдёт [перевозчику|старшему курьеров]. Повторная доставка по адресу {address} возможна сегодня после {time} или {next}.
c: Сегодня, [если это реально|пожалуйста]. Потом [через час|в восемь] меня не будет.
o: Согласовано с другим курьером, визит [подтверждён|назначен] на {time}. В качестве извинения {fee} на договоре {contract}, {name}.
# Повреждённая коробка
c: @hi я в отделении № {branch}, коробка заказа {order} [смята|мокрая|надорвана]. [Забирать|Подписывать]? Там {product}.
o: @hello Пока не подписывайте. Попросите акт о повреждении и [откройте при работнике|загляните вместе внутрь]. Цел ли {product}?
c: Угол [смят|треснул], [включается|не включается]. Составляют акт, номер {request}.
o: @so пришлите, пожалуйста, фото акта, а товар оставьте там. Новый выедет со склада [сегодня|сегодня ночью], платить не надо.
c: Отправлено. [Сколько в этот раз|Долго ждать], я уже <заплатил|заплатила> {price}?
o: Будет у вас {next}, курьером на адрес {address}. Претензия к перевозчику — [наше дело|наша забота], {name}, заказ {order}.
# Доставка к определённому часу
c: @hi заказ {order} привезут {next}. Я дома [только вечером|только до обеда]. Может ли курьер быть [после {time}|где-то в {time}]?
o: @hello Обычный промежуток — {window}. [Точный час|Доставка к часу] стоит {fee}. Или можно оставить [консьержке|соседям].
c: [Консьержки|Таких соседей] нет. Тогда [плачу {fee}|беру точный час]. [Картой можно|Он принимает карты]?
o: @yes, картой или онлайн. Час зафиксирован: {time}, {address}, телефон {phone}.
c: Домофон [не работает|сломан], пусть [позвонит|наберёт] снизу.
o: Добавлено для курьера. {name}, если планы изменятся, напишите до [девяти|десяти] утра, номер {order}.
# Доставка в село
c: @hi возите ли в село? Отделения [нет|нет, только передвижное], ближайшее № {branch} за [двенадцать|двадцать] километров. Заказ {order}.
o: @hello Есть [передвижное отделение|почтовая машина] дважды в неделю, [вторник и пятница|понедельник и четверг]. За {product} выйдет {fee}.
c: [Подходит|Хорошо]. Платить [заранее|при получении], {price}?
o: @so как удобно; за наложенный платёж [два процента|небольшая комиссия]. Улица {street}, а дом?
c: Дом [семь|пятнадцать|двадцать два], тот, что с [синими воротами|большим орехом]. Телефон {phone}.
o: Записано: приедет {next}, водитель позвонит [от сельсовета|на въезде]. Посылка {parcel}, {name}.
# Приехала только часть
c: @hi из заказа {order} приехала только [одна коробка из двух|половина]: {product} есть, а [чехла|кабеля|второй коробки] нет. В накладной оба.
o: @hello Заказ едет двумя посылками, вторая, {parcel}, [ещё в дороге|выехала на день позже].
c: [Никто не сказал|Об этом нигде не писали]. [Снова идти|Дважды ходить] в отделение № {branch}?
o: @so не обязательно: вторую можем [отправить курьером|переадресовать в постамат], {street}, без оплаты.
c: [Постамат|Курьер] — это хорошо. [Когда|В какой день]?
o: {next}, код [придёт на {phone}|будет в СМС]. Простите за путаницу, {name}; замечание передано магазину, {request}.
# Не открывается постамат
c: @hi стою у постамата, {street}, код {last4} [не открывает|выдаёт ошибку], посылка {parcel}. [Идёт дождь|За мной очередь].
o: @hello Минутку. Экран [светится|работает], [номер ячейки видно|какая ячейка]?
c: Ячейка [четырнадцать|девять|тридцать один], [щёлкнула, но не открылась|пишет «обратитесь в поддержку»].
o: @so команда отправлена ещё раз, [слегка прижмите дверцу|постучите по дверце] и потяните через [десять|пять] секунд.
c: [Открылось|Есть], {product} [у меня|уже у меня]! [Чудеса техники|Надо же].
o: Вот и хорошо. Техник [проверит|осмотрит] ячейку {next}, заявка {request}. {name}, за хранение {fee} не берём.
# Доставка за границу
c: @hi можно ли отправить {product} в [Польшу|Чехию|Германию]? [Там учится дочь|Мы пока там живём]. Заказ {order}.
o: @hello @yes, [семь-десять|шесть-девять] дней. Доставка {amount}, пошлину сверх 150 евро платит получатель.
c: Цена {price}, [так что без пошлины|так что пошлина может быть]. Какие [бумаги|документы] нужны?
o: @so только имя получателя, адрес с индексом и телефон. Гарантия действует [только в Украине|в нашем сервисе здесь], имейте это в виду.
c: [Хорошо|Понятно]. Всё это напишу [вечером|чуть позже].
o: Пришлите до {deadline}, товар в резерве. Для декларации, {name}, инвойс {request} будет [на коробке|в кармане снаружи].
# Отложить доставку
c: @hi заказ {order} приедет {next}, а мы [уезжаем на неделю|в больнице|едем к родителям]. Может [подождать|приехать позже]?
o: @hello Склад держит бесплатно до [четырнадцати|десяти] дней. Какая дата [удобна|подойдёт]?
c: [После|Не раньше] {deadline}, {window}. Цена {price} [остаётся|не изменится]?
o: Остаётся, она зафиксирована при заказе. Новая дата {deadline}, {window}, адрес {address}.
c: [Чудесно|Прекрасно]. А если [вернёмся раньше|приедем быстрее]?
o: Напишите сюда «раньше» и {order}, [отправим на следующий день|выедет в тот же вечер]. {name}, [счастливого пути|всего доброго]!
`
}
