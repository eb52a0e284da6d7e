// Returns and warranty: dialogue plans about giving back, exchange, repair and refunds of goods (form: see DialoguePlan.ts).
import type { SubjectDialogues } from "../DialoguePlan.ts"

export const returns: SubjectDialogues = {
  en: `
# Return within fourteen days
c: @hi I bought a {product} on {date}, order {order}. It [does not suit me|is too big|is not what I expected], can I [return it|give it back]?
o: @hello within fourteen days yes, if it [was not used|looks new] and the box and receipt are there. Are the [films|seals] whole?
c: The box is opened, but [everything is whole|it was only switched on once]. [Is that a problem|Will you take it]?
o: That is fine. Bring it to {street} or [hand it to a courier|call a courier] for {fee}; the money, {price}, comes back to the card *{last4}.
c: The courier, please: {address}, {next}. [How long until the refund|When is the money back]?
o: Within [seven|five] days after the check. Your return has number {request}; {name}, [put the receipt inside|do not tape the original box].
# Returned router, waiting for refund
c: @hi I returned the {router} on {date}, return {request}, and the [refund|money] of {total} [has not arrived|is still missing]. You promised a week.
o: @hello @looked: the router {router} [arrived|was received] on {later}, the check of the set found that the [power adapter|network cable] is missing.
c: [It was in the box|I put it in myself], in the [side pocket|small carton]. [Please look again|Let them look better].
o: I have asked the warehouse to [open the box again|look once more] and answer today by {time}.
c: @ok, I wait. [It is not a small sum|For me it is real money].
o: Found, {name}, it was under the cardboard. The refund of {total} [is sent|went out] to card *{last4}, by {next} it is there. Sorry for the doubt.
# Warranty repair of a phone
c: @hi the {product} from order {order} [does not charge|switches off at forty percent|has stripes on the screen]. The guarantee is valid, [half a year has passed|eight months old].
o: @hello was it [dropped or wet|in water or dropped]? Repair under guarantee takes up to fourteen days; please make a copy of the data.
c: [Neither|No, it lived in a case]. The copy [is made|is in the cloud]. Where do I [bring|send] it?
o: To the service at {street} or by courier free of charge. The repair has number {request}; take off [the case and the SIM|the SIM and the film].
c: I send it on {next}. [Do you give another one|Is there a replacement] for that time?
o: @yes, a simple one against a deposit of {total}. [Shall it come with the courier|I can send it along], {name}?
# Wrong item in the box
c: @hi in the parcel of order {order} there is [another model|somebody else's order], not the {product}. [The label is mine|The sticker has my name], the inside is not.
o: @sorry, {name}. Please photograph [the label and the goods|both sides of the label]; somebody has got yours, it seems.
c: Photographed. [Do I have to carry it back|Must I go to the post] myself? I [broke a leg|have a small baby].
o: No, a courier comes on {next} between {window}, takes that and hands over your {product} [at once|in exchange].
c: [A perfect solution|Very good]. Is the paper [to be signed|needed]?
o: Only the act of exchange {request}. As an apology there is {fee} on your contract {contract}, {name}.
# Service refused the guarantee
c: @hi the service writes "[traces of moisture|mechanical damage]" and refuses the guarantee, repair {request}. The {product} [never saw water|stood on a shelf]!
o: @hello I understand your anger. You may ask for an [independent examination|examination by experts]: if it proves a defect, we pay for it and for the repair.
c: And if [not|they agree with the service]? What does it [cost me|cost then]?
o: Then {amount} is yours to pay. Before that our engineer can [look at the photos of the board|look once more], free of charge, by {next}.
c: First [the engineer|your engineer] then. I [want the photos too|would like to see the photos].
o: They go to {email} today. {name}, the {product} is [kept untouched|not opened again] until your decision, until {deadline}.
# Exchange for another model
c: @hi can I exchange the {product} (order {order}, {price}) for [a more powerful one|another model] and [pay the difference|add money]? It is [ten|eight|twelve] days old.
o: @hello you can while fourteen days have not passed. Which model [did you choose|do you have in mind]?
c: The one for {fee} [dearer|more], with [more memory|a better battery|a bigger screen]. Is it [in stock|available] {cityIn}?
o: @yes, two pieces at {street}. Come with the set and the receipt; the difference of {fee} is paid [at the desk|there by card].
c: Today after {time}. [Please put one aside|Keep one for me].
o: Put aside under {request} until [the evening of {next}|{next}], {name}. [Take your passport|A document is needed] for the exchange.
# Battery swells
c: @hi the battery of the {product} has [swollen|blown up like a pillow], the cover [comes off|has opened]. Bought on {date}, order {order}. Is it [dangerous|going to explode]?
o: @hello please do not charge it and [do not press it|keep it away from heat]. It is a guarantee case without discussion.
c: It lies [on the balcony|on tiles]. Can it be [posted at all|given to the post]?
o: Not by post: our own courier takes it in a [metal case|safe box] on {next} between {window}, address {address}?
c: The address is right. [A new one or the money|What do I get], please?
o: As you choose: a new one on {deadline} or {price} to the card *{last4}. The case {request} has gone to the [quality department|maker] too, {name}.
# Return without receipt
c: @hi I lost the [paper receipt|receipt], can the {product} be [returned|exchanged] without it? Paid by card *{last4} on {date}.
o: @hello the purchase is in our system: by the card or by the phone {phone}. Did you [give a phone|name a phone] at the desk?
c: I think [yes|so], the same one. [The sum was|I paid] {price}.
o: Found: order {order}. The electronic receipt [is in your account|went to {email}], it is as good as paper.
c: [Wonderful|I am glad], then I come [tomorrow|on {next}] to {street}.
o: Choose any time between {window}, the return is [prepared|entered] under {request}, {name}. [The card *{last4} is needed|Please take that card].
# Partial refund for a scratch
c: @hi on the {product}, order {order}, there is a [small scratch on the back|scratch on the frame]. I do not want to [send it back|wait for another], but [full price is unfair|something off would be fair].
o: @hello please send a photo. For a flaw of looks we [give back a part|offer a discount] if you keep it.
c: Sent. [Under the lamp it is well seen|In the light one sees it]. It works [perfectly|without remarks].
o: I see it. The offer: {amount} back and the full guarantee stays. [Does it suit you|Do you agree]?
c: [Agreed|It does], to the card *{last4}. [Where do I sign|Do I sign something]?
o: A code comes to {phone}: that is the signature. The refund {request} is with you by {next}, {name}.
# When is the repair ready
c: @hi the repair {request} was to be ready on {date}. [Nobody calls|Silence]. [What is with|How is] the {product}?
o: @hello @looked: they wait for a [board|display module|connector] from the maker, it [is at the customs|arrives on {next}].
c: The law says fourteen days, [that was on {later}|they are over]. I want [a new one|my money back].
o: You have that right. Until {next} I can [get a decision|arrange the exchange]; a replacement is in the shop {street}. Or the refund of {price}, choose.
c: [The exchange|A new one], the same model. [Without waiting again|I hope without queues].
o: It is reserved under {order} from {time}. {name}, take the [repair sheet|paper of the service] along; the guarantee begins anew.
`,
  uk: `
# Повернення протягом 14 днів
c: @hi {date} <купив|купила> {product}, замовлення {order}. [Не підійшов|Завеликий|Не те, що я <очікував|очікувала>], чи можна [повернути|здати]?
o: @hello Протягом чотирнадцяти днів так, якщо [не користувалися|вигляд новий], є коробка й чек. [Плівки|Пломби] цілі?
c: Коробку відкрито, але [все ціле|вмикали один раз]. [Це проблема|Приймете]?
o: Усе гаразд. Привезіть на {street} або [віддайте кур'єрові|викличте кур'єра] за {fee}; кошти, {price}, повернуться на картку *{last4}.
c: Кур'єра, будь ласка: {address}, {next}. [Скільки чекати гроші|Коли повернуться кошти]?
o: До [семи|п'яти] днів після перевірки. Повернення має номер {request}; {name}, [чек покладіть усередину|коробку скотчем не обклеюйте].
# Здано роутер, кошти не повернули
c: @hi {date} <здав|здала> {router}, повернення {request}, а [кошти|гроші] {total} [не прийшли|досі не надійшли]. Обіцяли тиждень.
o: @hello @looked: {router} [прийняли|отримали] {later}, під час перевірки комплекту [не знайшли блока живлення|бракувало кабелю].
c: [Він був у коробці|Усе <клав сам|клала сама>], у [бічній кишені|маленькій коробочці]. [Гляньте ще раз|Хай пошукають краще].
o: Склад попросили [відкрити коробку ще раз|подивитися ще раз] і відповісти сьогодні до {time}.
c: @ok, чекаю. [Сума чимала|Для мене це гроші].
o: Знайшли, {name}, лежало під картоном. Повернення {total} [надіслано|пішло] на картку *{last4}, до {next} буде. Вибачте за сумнів.
# Гарантійний ремонт
c: @hi {product} із замовлення {order} [не заряджається|вимикається на сорока відсотках|показує смуги]. Гарантія діє, [минуло пів року|йому вісім місяців].
o: @hello Він [не падав і не мокнув|не був у воді й не падав]? Ремонт за гарантією триває до чотирнадцяти днів; зробіть, будь ласка, копію даних.
c: [Ні те, ні те|Ні, завжди в чохлі]. Копія [є|у хмарі]. Куди [нести|надсилати]?
o: До сервісу, {street}, або кур'єром безкоштовно. Ремонт має номер {request}; зніміть [чохол і SIM|SIM і плівку].
c: Надішлю {next}. [Дасте щось натомість|Є підмінний] на цей час?
o: @yes, простий, під заставу {total}. [Надіслати з кур'єром|Можемо передати разом], {name}?
# Не той товар у посилці
c: @hi у посилці замовлення {order} [інша модель|чуже замовлення], а не {product}. [Наліпка моя|На наліпці моє ім'я], а всередині не моє.
o: @sorry, {name}. Сфотографуйте, будь ласка, [наліпку й товар|наліпку з обох боків]; схоже, ваше поїхало комусь іншому.
c: Є фото. [Мені нести назад|Треба йти на пошту]? У мене [зламана нога|мале немовля].
o: Ні, кур'єр буде {next} {window}, забере те й [одразу|навзамін] віддасть {product}.
c: [Ідеальне рішення|Дуже добре]. А папір [підписувати|потрібен]?
o: Лише акт обміну {request}. Як вибачення {fee} на договорі {contract}, {name}.
# Сервіс відмовив у гарантії
c: @hi сервіс пише «[сліди вологи|механічне пошкодження]» і відмовляє в гарантії, ремонт {request}. А {product} [води не бачив|стояв на полиці]!
o: @hello Розумію ваше обурення. Можна вимагати [незалежну експертизу|експертизу]: якщо підтвердить брак, платимо за неї й ремонт ми.
c: А якщо [ні|погодиться із сервісом]? Скільки це [коштуватиме мені|тоді коштує]?
o: Тоді {amount} сплачуєте ви. Доти наш інженер може [переглянути фото плати|глянути ще раз], безкоштовно, до {next}.
c: Спершу [інженер|ваш інженер]. І [надішліть фото й мені|хочу бачити фото].
o: Підуть на {email} сьогодні. {name}, {product} [ніхто не чіпатиме|більше не розбиратимуть] до вашого рішення, до {deadline}.
# Обміняти на іншу модель
c: @hi чи можна обміняти {product} (замовлення {order}, {price}) на [потужніший|іншу модель] з [доплатою|доплатою з мого боку]? Йому [десять|вісім|дванадцять] днів.
o: @hello Можна, доки не минуло чотирнадцяти днів. Яку модель [обрали|хочете]?
c: Ту, що на {fee} [дорожча|більше], з [більшою пам'яттю|кращою батареєю|більшим екраном]. Вона є [в наявності|на складі] {cityIn}?
o: @yes, дві штуки, {street}. Приходьте з комплектом і чеком; різницю {fee} сплатите [на касі|там карткою].
c: Сьогодні після {time}. [Відкладіть одну|Притримайте, будь ласка].
o: Відкладено, {request}, до [вечора {next}|{next}], {name}. [Візьміть паспорт|Потрібен документ] для обміну.
# Здувся акумулятор
c: @hi акумулятор [здувся|роздувся, як подушка], кришка [відходить|відкрилася]: {product}, куплено {date}, замовлення {order}. Це [небезпечно|не вибухне]?
o: @hello Не заряджайте його й [не тисніть|тримайте подалі від тепла]. Це гарантійний випадок без жодних питань.
c: Лежить [на балконі|на плитці]. А поштою його [можна|приймуть]?
o: Поштою ні: наш кур'єр забере в [металевому боксі|захисному боксі] {next} {window}, адреса {address}?
c: Адреса правильна. [Новий чи гроші|Що я отримаю]?
o: На ваш вибір: новий {deadline} або {price} на картку *{last4}. Справу {request} передано й [відділові якості|виробникові], {name}.
# Повернення без чека
c: @hi <загубив|загубила> [паперовий чек|чек], чи можна без нього [повернути|обміняти] {product}? Оплата карткою *{last4}, {date}.
o: @hello Покупка є в системі: за карткою або телефоном {phone}. Ви [називали телефон|лишали номер] на касі?
c: Здається, [так|називали], той самий. [Сума була|Платили] {price}.
o: Знайшлося: замовлення {order}. Електронний чек [у кабінеті|пішов на {email}], він рівний паперовому.
c: [Чудово|Тішуся], тоді прийду [завтра|{next}] на {street}.
o: Обирайте час {window}, повернення [підготовлено|внесено] під номером {request}, {name}. [Потрібна картка *{last4}|Візьміть ту картку].
# Знижка за подряпину
c: @hi на товарі {product}, замовлення {order}, є [подряпина ззаду|подряпина на рамці]. [Відсилати|Чекати іншого] не хочу, але [повна ціна — нечесно|якась знижка була б чесною].
o: @hello Надішліть, будь ласка, фото. За ваду вигляду [повертаємо частину|даємо знижку], якщо лишаєте собі.
c: Надіслано. [Під лампою добре видно|На світлі помітно]. Працює [чудово|без зауважень].
o: Бачу. Пропозиція: повертаємо {amount}, гарантія лишається повна. [Підходить|Згода]?
c: [Згода|Підходить], на картку *{last4}. [Де підписати|Щось підписувати]?
o: На {phone} прийде код: це й є підпис. Повернення {request} буде до {next}, {name}.
# Коли буде готовий ремонт
c: @hi ремонт {request} мав бути готовий {date}. [Ніхто не дзвонить|Тиша]. [Що там, чи живий|Як там] {product}?
o: @hello @looked: чекають на [плату|модуль екрана|роз'єм] від виробника, [вантаж на митниці|постачання {next}].
c: За законом чотирнадцять днів, [вони минули {later}|вони вже минули]. Хочу [новий|гроші].
o: Маєте право. До {next} можу [отримати рішення|узгодити обмін]; такий є в магазині, {street}. Або повернення {price}, обирайте.
c: [Обмін|Новий], ту саму модель. [Тільки без нових чекань|Сподіваюся, без черг].
o: Відкладено за номером {order} з {time}. {name}, візьміть [лист ремонту|папір із сервісу]; гарантія почнеться знову.
`,
  ru: `
# Возврат в течение 14 дней
c: @hi {date} <купил|купила> {product}, заказ {order}. [Не подошёл|Слишком большой|Не то, что я <ожидал|ожидала>], можно ли [вернуть|сдать]?
o: @hello В течение четырнадцати дней да, если [не пользовались|вид новый], есть коробка и чек. [Плёнки|Пломбы] целы?
c: Коробка открыта, но [всё цело|включали один раз]. [Это проблема|Примете]?
o: Всё в порядке. Привезите на {street} или [отдайте курьеру|вызовите курьера] за {fee}; деньги, {price}, вернутся на карту *{last4}.
c: Курьера, пожалуйста: {address}, {next}. [Сколько ждать деньги|Когда вернутся средства]?
o: До [семи|пяти] дней после проверки. У возврата номер {request}; {name}, [чек положите внутрь|коробку скотчем не обклеивайте].
# Сдан роутер, деньги не вернули
c: @hi {date} <сдал|сдала> {router}, возврат {request}, а [средства|деньги] {total} [не пришли|до сих пор не поступили]. Обещали неделю.
o: @hello @looked: {router} [приняли|получили] {later}, при проверке комплекта [не нашли блок питания|не хватало кабеля].
c: [Он был в коробке|Всё было на месте], в [боковом кармане|маленькой коробочке]. [Посмотрите ещё раз|Пусть поищут лучше].
o: Склад попросили [открыть коробку ещё раз|посмотреть ещё раз] и ответить сегодня до {time}.
c: @ok, жду. [Сумма немалая|Для меня это деньги].
o: Нашли, {name}, лежало под картоном. Возврат {total} [отправлен|ушёл] на карту *{last4}, до {next} будет. Простите за сомнение.
# Гарантийный ремонт
c: @hi {product} из заказа {order} [не заряжается|выключается на сорока процентах|показывает полосы]. Гарантия действует, [прошло полгода|ему восемь месяцев].
o: @hello Он [не падал и не мок|не был в воде и не падал]? Ремонт по гарантии длится до четырнадцати дней; сделайте, пожалуйста, копию данных.
c: [Ни то, ни другое|Нет, всегда в чехле]. Копия [есть|в облаке]. Куда [нести|отправлять]?
o: В сервис, {street}, или курьером бесплатно. У ремонта номер {request}; снимите [чехол и SIM|SIM и плёнку].
c: Отправлю {next}. [Дадите что-то взамен|Есть подменный] на это время?
o: @yes, простой, под залог {total}. [Отправить с курьером|Можем передать вместе], {name}?
# Не тот товар в посылке
c: @hi в посылке заказа {order} [другая модель|чужой заказ], а не {product}. [Наклейка моя|На наклейке моё имя], а внутри не моё.
o: @sorry, {name}. Сфотографируйте, пожалуйста, [наклейку и товар|наклейку с обеих сторон]; похоже, ваше уехало кому-то другому.
c: Есть фото. [Мне нести обратно|Надо идти на почту]? У меня [сломана нога|маленький ребёнок].
o: Нет, курьер будет {next} {window}, заберёт то и [сразу|взамен] отдаст {product}.
c: [Идеальное решение|Очень хорошо]. А бумагу [подписывать|надо подписать]?
o: Только акт обмена {request}. В качестве извинения {fee} на договоре {contract}, {name}.
# Сервис отказал в гарантии
c: @hi сервис пишет «[следы влаги|механическое повреждение]» и отказывает в гарантии, ремонт {request}. А {product} [воды не видел|стоял на полке]!
o: @hello Понимаю ваше возмущение. Можно требовать [независимую экспертизу|экспертизу]: если подтвердит брак, платим за неё и ремонт мы.
c: А если [нет|согласится с сервисом]? Сколько это [будет стоить мне|тогда стоит]?
o: Тогда {amount} платите вы. До этого наш инженер может [просмотреть фото платы|взглянуть ещё раз], бесплатно, до {next}.
c: Сначала [инженер|ваш инженер]. И [пришлите фото и мне|хочу видеть фото].
o: Уйдут на {email} сегодня. {name}, {product} [никто не тронет|больше не разберут] до вашего решения, до {deadline}.
# Обменять на другую модель
c: @hi можно ли обменять {product} (заказ {order}, {price}) на [более мощный|другую модель] с [доплатой|доплатой с моей стороны]? Ему [десять|восемь|двенадцать] дней.
o: @hello Можно, пока не прошло четырнадцать дней. Какую модель [выбрали|хотите]?
c: Ту, что на {fee} [дороже|больше], с [большей памятью|лучшей батареей|большим экраном]. Она есть [в наличии|на складе] {cityIn}?
o: @yes, две штуки, {street}. Приходите с комплектом и чеком; разницу {fee} оплатите [на кассе|там картой].
c: Сегодня после {time}. [Отложите одну|Придержите, пожалуйста].
o: Отложено, {request}, до [вечера {next}|{next}], {name}. [Возьмите паспорт|Нужен документ] для обмена.
# Вздулся аккумулятор
c: @hi аккумулятор [вздулся|раздулся, как подушка], крышка [отходит|открылась]: {product}, куплено {date}, заказ {order}. Это [опасно|не взорвётся]?
o: @hello Не заряжайте его и [не давите|держите подальше от тепла]. Это гарантийный случай без всяких вопросов.
c: Лежит [на балконе|на плитке]. А почтой его [можно|примут]?
o: Почтой нет: наш курьер заберёт в [металлическом боксе|защитном боксе] {next} {window}, адрес {address}?
c: Адрес верный. [Новый или деньги|Что я получу]?
o: На ваш выбор: новый {deadline} или {price} на карту *{last4}. Дело {request} передано и [отделу качества|производителю], {name}.
# Возврат без чека
c: @hi <потерял|потеряла> [бумажный чек|чек], можно ли без него [вернуть|обменять] {product}? Оплата картой *{last4}, {date}.
o: @hello Покупка есть в системе: по карте или телефону {phone}. Вы [называли телефон|оставляли номер] на кассе?
c: Кажется, [да|называли], тот же. [Сумма была|Платили] {price}.
o: Нашлось: заказ {order}. Электронный чек [в кабинете|ушёл на {email}], он равен бумажному.
c: [Чудесно|<Рад|Рада> слышать], тогда приду [завтра|{next}] на {street}.
o: Выбирайте время {window}, возврат [подготовлен|внесён] под номером {request}, {name}. [Нужна карта *{last4}|Возьмите ту карту].
# Скидка за царапину
c: @hi на товаре {product}, заказ {order}, есть [царапина сзади|царапина на рамке]. [Отсылать|Ждать другого] не хочу, но [полная цена — нечестно|какая-то скидка была бы честной].
o: @hello Пришлите, пожалуйста, фото. За изъян вида [возвращаем часть|даём скидку], если оставляете себе.
c: Отправлено. [Под лампой хорошо видно|На свету заметно]. Работает [отлично|без замечаний].
o: Вижу. Предложение: возвращаем {amount}, гарантия остаётся полная. [Подходит|Согласны]?
c: [Да, согласны|Подходит], на карту *{last4}. [Где подписать|Что-то подписывать]?
o: На {phone} придёт код: это и есть подпись. Возврат {request} будет до {next}, {name}.
# Когда будет готов ремонт
c: @hi ремонт {request} должен был быть готов {date}. [Никто не звонит|Тишина]. [Что там, жив ли|Как там] {product}?
o: @hello @looked: ждут [плату|модуль экрана|разъём] от производителя, [груз на таможне|поставка {next}].
c: По закону четырнадцать дней, [они истекли {later}|они уже прошли]. Хочу [новый|деньги].
o: Имеете право. До {next} могу [получить решение|согласовать обмен]; такой есть в магазине, {street}. Или возврат {price}, выбирайте.
c: [Обмен|Новый], ту же модель. [Только без новых ожиданий|Надеюсь, без очередей].
o: Отложено под номером {order} с {time}. {name}, возьмите [лист ремонта|бумагу из сервиса]; гарантия начнётся заново.
`
}
