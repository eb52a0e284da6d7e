// Internet connection: dialogue plans about coverage, connecting, moving and the fitter's visit (form: see DialoguePlan.ts).
import type { SubjectDialogues } from "../DialoguePlan.ts"

export const internet: SubjectDialogues = {
  en: `
# Is my address covered
c: @hi we are [moving to|buying a flat at|renting a place at] {address}. [Do you have fibre there|Is your internet available there|Can we get connected]?
o: @hello @looked: the house at {address} [has our fibre|is connected to our optical network]. Tariffs from {amount} a month, which speed do you need?
c: [Two people work from home|We both have video calls all day] and the children [watch films|play online]. What [would you advise|do you recommend]?
o: {plan} will do, the price is {amount}. [Connection is free|We connect free of charge] with a one-year contract; the fitter can come on {next} between {window}.
c: @ok, put us down. [Name as in this chat|My phone is {phone}]. Do we [need our own router|have to buy a router]?
o: Your own will do if it is gigabit; ours costs {fee} a month. The order {request} is [registered|placed], the fitter [calls on {next}|will call before coming].
# Fitter did not come
c: @hi the fitter [was to come|was promised] on {date} between {window}. I [took a day off|waited the whole time] and [nobody came or called|nobody turned up]. Order {request}.
o: @sorry. I see that the visit was [moved|postponed] because of an accident, and the message went to {phone}. Is that number [right|yours]?
c: [No, that is my old number|One digit is wrong there]. [It is unpleasant anyway|Still, somebody could have called].
o: You are right. I offer {next} between {window} as the first visit of the day, and [the connection fee is dropped|the first month is free] on contract {contract}.
c: [All right|Fine, let it be so], but [please note my number|write down another number]: it ends in {last4}.
o: Noted. The team leader will [call you in the morning|ring you himself] on {next}. {name}, thank you for [your patience|understanding].
# Moving to another flat
c: @hi we are [moving|moving house] on {next} and want to [take the internet with us|keep contract {contract}]. The new address: {address}.
o: @hello we can transfer it: the new house [is covered|has our network]. The transfer costs {fee}, the number {contract} and the tariff {plan} stay. When [shall the fitter come|do you need it]?
c: [Better on the day of the move|Best right on {next}] between {window}. What about [the old flat|the cable there]?
o: The old line [is switched off|will be closed] the same day, [leave the socket as it is|nothing has to be taken off]. Please bring the terminal along, serial number {serial}.
c: @ok. [Will there be a day without internet|Are we going to be offline], I [have to hand in a project|work online]?
o: [A few hours at most|Half a day at most]: the old line is closed only when the new one works. Your transfer has number {request}, {name}.
# Connecting a private house
c: @hi I have a private house {cityIn}, {street}, [the poles are on the street|there are poles along the road]. Is it [possible to bring fibre|realistic to get fibre]?
o: @hello for private houses we [make a survey first|look at the place first]: it is free and shows the length of the cable. Up to a hundred metres from the pole [it costs|the price is] {total}.
c: It is [about sixty|some eighty|not more than seventy] metres to the gate. [Can the cable go underground|Could you dig it in] in the yard?
o: @yes, if [you have a pipe|there is an empty pipe]; digging is not ours. The engineer can [see it|come for the survey] on {next} between {window}.
c: [Agreed|Fine], we will be at home. The gate is [green|brown|grey], please [ring the bell|call {phone}].
o: Written down: survey {request}, {name}. After it you get the estimate to {email} [within a day|the same evening].
# Connection in a new building
c: @hi we got the keys in a new building, {address}. [The developer says|In the office they say] only one provider is allowed. [Is that true|Is it legal]?
o: @hello [no|not quite]: the residents choose. We have [filed a request|applied for access] to the management company; [eleven|nineteen|fourteen] flats have signed already.
c: How can I [help|speed it up]? Our chat has [over a hundred|two hundred] neighbours.
o: We send you a collective form to {email}: with [thirty|forty] signatures the management [has to let us in|cannot refuse]. Each who signs gets [two months free|a discount of {fee}].
c: [Great idea|I like it], I will [post it today|put it in our chat]. When could [the first ones be connected|it start]?
o: The works take two weeks after the permit, so [about {deadline}|from {deadline}]. You are in the list under number {request}, {name}.
# Choosing fibre or cable
c: @hi your site offers [GPON and Ethernet|fibre and twisted pair] for my house, {address}. [What is the difference|Which one is better]?
o: @hello fibre works [without electricity in the house|when the mains are off] and gives up to a gigabit; the copper line is cheaper by {fee} but [stops|goes down] in a power cut.
c: We have [power cuts often|cuts twice a week]. Do I need [another router|special equipment] for fibre?
o: A terminal: {total} to buy or {fee} a month to rent. Your {router} can [stay behind it|be used after it]. A small UPS keeps both going for [six|five] hours.
c: Then fibre. [When can you come|What is the nearest date]?
o: {next} between {window}. The fitter needs [a socket near the door|forty minutes]. Order {request} on {plan}.
# Reconnect after a long break
c: @hi we were [abroad for a year|away for a year and a half] and have come back. Contract {contract}, how do we [switch the internet on again|get it back]?
o: @hello welcome back! The contract is [frozen|on pause], the debt is zero. Top up {amount} and [the line comes alive by itself|it starts within ten minutes].
c: [Paid|I have just paid], but the light on {router} is [orange|still red]. [Maybe the cable was cut|Could the port be taken]?
o: The port was [given to a neighbour|released] meanwhile, that is our rule after a year. A fitter [plugs you in again|gives you a new one] on {next}, free of charge, request {request}.
c: @ok, [we can wait|that suits us]. Is the old price [still valid|kept]?
o: [Yes, for a year|We keep it for a year]: {amount} on {plan}, thanks for coming back, {name}.
# Second line for the office
c: @hi we need a [second|backup] line for the office at {address}: [when the main one falls, sales stop|the cash desks must never be offline].
o: @hello for that we have a backup channel over [another route|radio], it [switches over by itself|takes over in ten seconds]. The price is {total} a month with a guarantee in the contract.
c: Will the [static address|external IP] stay the same [after switching|when it takes over]?
o: @yes, the address is announced over both lines. We set it up on your {router} or on ours; the survey is possible on {next} between {window}.
c: Let it be {next}. Send the [draft contract|offer] to {email}, please.
o: [Sent|On its way], number {request}. The engineer will [ask for the plan of the rooms|want to see the server cabinet], {name}.
# Cable through the window frame
c: @hi the fitter suggests [drilling the new window frame|making a hole in the frame] at {address}. I [do not want that|am against it]. [Is there another way|What else is possible]?
o: @hello of course. The cable can go [through the stairwell and the meter box|along the riser], it is [fifteen metres longer|a bit longer] and costs {fee} more.
c: That is [fine|much better]. And inside the flat I would like it [under the skirting|in a white channel].
o: The fitter has the channel with him. I have [written this into the job|changed the order] {request}, he will not drill the frame.
c: [Thanks for understanding|I appreciate that]. Is the visit still on {next}?
o: Yes, on {next} between {window}. If [anything is not as agreed|he insists again], write here at once, {name}.
# Cancel a connection order
c: @hi please [cancel|call off] my order {request}, [we have changed our minds about the flat|the owner is against cables|the move did not happen].
o: @hello [that is a pity|I understand]. Nothing was paid yet, so [there are no costs|it costs you nothing]. Shall I keep the request [for later|till spring]?
c: [We may|Perhaps we will] look for another flat {cityIn}. [Keep it|Let it wait], please.
o: The order is on hold until {deadline}. When you know the address, write the number {request} and [we go on from there|nothing needs to be filled in again].
c: @ok. Will [anybody call me|I get advertising calls] now?
o: [No|No, certainly not], I have ticked "no calls" in contract {contract}. Good luck with the search, {name}!
`,
  uk: `
# Чи є покриття за адресою
c: @hi [переїжджаємо|купуємо квартиру|винаймаємо квартиру] за адресою {address}. [У вас там є оптика|Ваш інтернет там доступний|Можна під'єднатися]?
o: @hello @looked: будинок за адресою {address} [підключено до нашої оптики|є в нашій мережі]. Тарифи від {amount} на місяць, яка швидкість потрібна?
c: [Двоє працюють з дому|У нас постійні відеодзвінки], а діти [дивляться фільми|грають онлайн]. [Що порадите|Що краще взяти]?
o: Вистачить тарифу {plan}, ціна {amount}. [Підключення безкоштовне|За підключення не платите] з договором на рік; майстер може прийти {next} {window}.
c: @ok, записуйте. [Ім'я як у чаті|Мій телефон {phone}]. Роутер [потрібен свій|треба купувати]?
o: Підійде свій, якщо гігабітний; наш коштує {fee} на місяць. Заявку {request} [прийнято|зареєстровано], майстер [зателефонує {next}|подзвонить перед візитом].
# Майстер не прийшов
c: @hi майстер [мав прийти|обіцяв бути] {date} {window}. Я [<брав|брала> відгул|весь час <чекав|чекала>], а [ніхто не прийшов і не подзвонив|нікого так і не було]. Заявка {request}.
o: @sorry. Бачу, що візит [перенесли|відклали] через аварію, повідомлення пішло на {phone}. Це [правильний номер|ваш номер]?
c: [Ні, це старий номер|Там одна цифра не та]. [Усе одно прикро|Хтось міг би й подзвонити].
o: Маєте рацію. Пропоную {next} {window}, це перший виїзд дня, а [за підключення не платите|перший місяць безкоштовний] за договором {contract}.
c: [Гаразд|Добре, хай так], але [запишіть мій номер|запишіть інший номер]: закінчується на {last4}.
o: Записано. Бригадир [зателефонує зранку|подзвонить особисто] {next}. {name}, дякую за [терпіння|розуміння].
# Переїзд в іншу квартиру
c: @hi {next} ми [переїжджаємо|перебираємося в іншу квартиру] і хочемо [забрати інтернет із собою|зберегти договір {contract}]. Нова адреса: {address}.
o: @hello Перенесемо: новий будинок [у нашій мережі|підключено]. Перенесення коштує {fee}, договір {contract} і тариф {plan} лишаються. [Коли прислати майстра|На коли потрібно]?
c: [Найкраще в день переїзду|Якраз {next}], {window}. А що [зі старою квартирою|з тамтешнім кабелем]?
o: Стару лінію [вимкнемо|закриємо] того ж дня, [розетку лишіть як є|нічого знімати не треба]. Термінал, будь ласка, заберіть із собою, серійний номер {serial}.
c: @ok. [Чи буде день без інтернету|Чи лишимося без зв'язку], бо [здаю проєкт|працюю онлайн]?
o: [Щонайбільше кілька годин|Від сили пів дня]: стару лінію закриваємо, коли вже працює нова. Перенесення має номер {request}, {name}.
# Підключити приватний будинок
c: @hi маю приватний будинок {cityIn}, {street}, [опори є на вулиці|стовпи вздовж дороги]. Чи [можна завести оптику|реально провести оптику]?
o: @hello Для приватних будинків [спершу робимо обстеження|спершу дивимося на місці]: це безкоштовно, визначимо довжину кабелю. До ста метрів від опори [коштує|ціна] {total}.
c: До хвіртки [десь шістдесят|метрів вісімдесят|не більше сімдесяти] метрів. А подвір'ям [можна під землею|можна закопати]?
o: @yes, якщо [у вас є труба|прокладено трубу]; копаємо не ми. Інженер може [подивитися|приїхати] {next} {window}.
c: [Згода|Домовилися], будемо вдома. Ворота [зелені|коричневі|сірі], [дзвоніть у дзвінок|наберіть {phone}].
o: Записано: обстеження {request}, {name}. Після нього кошторис прийде на {email} [за день|того ж вечора].
# Підключення в новобудові
c: @hi отримали ключі в новобудові, {address}. [Забудовник каже|В офісі кажуть], що дозволено лише одного провайдера. [Це правда|Це законно]?
o: @hello [Ні|Не зовсім]: обирають мешканці. Ми [подали запит|звернулися] до управителя; підписалися вже [одинадцять|дев'ятнадцять|чотирнадцять] квартир.
c: Чим [допомогти|прискорити]? У нашому чаті [понад сто|двісті] сусідів.
o: Надішлемо на {email} колективну заяву: із [тридцятьма|сорока] підписами управитель [мусить нас пустити|не зможе відмовити]. Кожному підписантові — [два місяці безкоштовно|знижка {fee}].
c: [Чудова думка|Подобається], [сьогодні ж викладу|закину в чат]. Коли [підключать перших|це почнеться]?
o: Після дозволу роботи тривають два тижні, тобто [десь {deadline}|з {deadline}]. Ви в списку під номером {request}, {name}.
# Оптика чи звичайний кабель
c: @hi на сайті для мого будинку, {address}, є [GPON і Ethernet|оптика й вита пара]. [У чому різниця|Що краще]?
o: @hello Оптика працює [без світла в будинку|під час відключень] і дає до гігабіта; мідна лінія дешевша на {fee}, але [зупиняється|зникає], щойно вимкнуть світло.
c: Світло в нас [вимикають часто|зникає двічі на тиждень]. Для оптики [потрібен інший роутер|треба особливе обладнання]?
o: Потрібен термінал: {total} купити або {fee} на місяць в оренду. {router} [лишиться після нього|працюватиме далі]. Невеликий безперебійник тримає обидва [шість|п'ять] годин.
c: Тоді оптику. [Коли зможете приїхати|Яка найближча дата]?
o: {next}, {window}. Майстрові потрібні [розетка біля дверей|сорок хвилин]. Заявка {request}, тариф {plan}.
# Увімкнути після довгої перерви
c: @hi ми [рік були за кордоном|півтора року були у від'їзді] і повернулися. Договір {contract}, як [знову ввімкнути інтернет|усе поновити]?
o: @hello З поверненням! Договір [призупинено|на паузі], боргу немає. Поповніть на {amount}, і [лінія оживе сама|за десять хвилин усе запрацює].
c: [Сплачено|Щойно <сплатив|сплатила>], а лампочка на {router} [помаранчева|й досі червона]. [Може, кабель перерізали|Може, порт зайнятий]?
o: Порт за цей час [віддали сусідові|звільнили], після року так за правилами. Майстер [підключить знову|дасть новий] {next}, безкоштовно, заявка {request}.
c: @ok, [почекаємо|нам підходить]. А стара ціна [ще діє|збережеться]?
o: [Так, ще рік|Збережемо на рік]: {amount} на тарифі {plan}. Дякуємо, що повернулися, {name}.
# Друга лінія для офісу
c: @hi потрібна [друга|резервна] лінія в офіс, {address}: [падає основна — стають продажі|каси не можуть лишатися без зв'язку].
o: @hello Для цього є резервний канал [іншою трасою|через радіо], він [вмикається сам|підхоплює за десять секунд]. Ціна {total} на місяць, гарантія прописана в договорі.
c: А [статична адреса|зовнішній IP] [після перемикання|в разі аварії] лишиться та сама?
o: @yes, адресу видно через обидві лінії. Налаштуємо на вашому {router} або дамо свій; обстеження можливе {next} {window}.
c: Хай буде {next}. [Проєкт договору|Пропозицію] надішліть, будь ласка, на {email}.
o: [Надіслано|Вже в дорозі], номер {request}. Інженер [попросить план приміщень|захоче глянути серверну шафу], {name}.
# Кабель через віконну раму
c: @hi майстер хоче [свердлити нову раму|робити отвір у вікні], {address}. Я [не хочу|проти]. [Є інший спосіб|Як іще можна]?
o: @hello Звісно. Кабель можна завести [через під'їзд і щиток|стояком], це [на п'ятнадцять метрів довше|трохи довше] і на {fee} дорожче.
c: [Згода|Так значно краще]. А в квартирі хотілося б [під плінтусом|у білому коробі].
o: Короб майстер має із собою. [Вказано в заявці|Внесено в заявку] {request}, раму свердлити не будуть.
c: [Дякую за розуміння|Дякую, що почули]. Візит, як і домовлялися, {next}?
o: Так, {next}, {window}. Якщо [щось піде не так|майстер наполягатиме], одразу пишіть сюди, {name}.
# Скасувати заявку на підключення
c: @hi [скасуйте|відмініть], будь ласка, заявку {request}: [ми передумали щодо квартири|власник проти кабелів|переїзд не відбувся].
o: @hello [Шкода|Розумію]. Оплати ще не було, тож [витрат немає|платити не треба]. Залишити заявку [на потім|до весни]?
c: [Можливо|Мабуть], шукатимемо іншу квартиру {cityIn}. [Залиште|Хай почекає], будь ласка.
o: Заявка на паузі до {deadline}. Коли буде адреса, напишіть номер {request}, і [продовжимо з цього місця|нічого не доведеться заповнювати знову].
c: @ok. [Мені хтось дзвонитиме|Реклами дзвінками не буде]?
o: [Ні|Ні, не турбуватимемо]: у договорі {contract} стоїть позначка «не телефонувати». Вдалих пошуків, {name}!
`,
  ru: `
# Есть ли покрытие по адресу
c: @hi [переезжаем|покупаем квартиру|снимаем квартиру] по адресу {address}. [У вас там есть оптика|Ваш интернет там доступен|Можно подключиться]?
o: @hello @looked: дом по адресу {address} [подключён к нашей оптике|есть в нашей сети]. Тарифы от {amount} в месяц, какая скорость нужна?
c: [Двое работают из дома|У нас постоянные видеозвонки], а дети [смотрят фильмы|играют онлайн]. [Что посоветуете|Что лучше взять]?
o: Хватит тарифа {plan}, цена {amount}. [Подключение бесплатное|За подключение не платите] с договором на год; мастер может прийти {next} {window}.
c: @ok, записывайте. [Имя как в чате|Мой телефон {phone}]. Роутер [нужен свой|надо покупать]?
o: Подойдёт свой, если гигабитный; наш стоит {fee} в месяц. Заявка {request} [принята|зарегистрирована], мастер [позвонит {next}|наберёт перед визитом].
# Мастер не пришёл
c: @hi мастер [должен был прийти|обещал быть] {date} {window}. Я [<брал|брала> отгул|всё время <ждал|ждала>], а [никто не пришёл и не позвонил|никого так и не было]. Заявка {request}.
o: @sorry. Вижу, что визит [перенесли|отложили] из-за аварии, сообщение ушло на {phone}. Это [правильный номер|ваш номер]?
c: [Нет, это старый номер|Там одна цифра не та]. [Всё равно обидно|Кто-то мог бы и позвонить].
o: Вы правы. Предлагаю {next} {window}, это первый выезд дня, а [за подключение не платите|первый месяц бесплатный] по договору {contract}.
c: [Ладно|Хорошо, пусть так], но [запишите мой номер|запишите другой номер]: заканчивается на {last4}.
o: Записано. Бригадир [позвонит с утра|позвонит лично] {next}. {name}, спасибо за [терпение|понимание].
# Переезд в другую квартиру
c: @hi {next} мы [переезжаем|перебираемся в другую квартиру] и хотим [забрать интернет с собой|сохранить договор {contract}]. Новый адрес: {address}.
o: @hello Перенесём: новый дом [в нашей сети|подключён]. Перенос стоит {fee}, договор {contract} и тариф {plan} остаются. [Когда прислать мастера|На когда нужно]?
c: [Лучше всего в день переезда|Как раз {next}], {window}. А что [со старой квартирой|с тамошним кабелем]?
o: Старую линию [отключим|закроем] в тот же день, [розетку оставьте как есть|снимать ничего не надо]. Терминал, пожалуйста, заберите с собой, серийный номер {serial}.
c: @ok. [Будет ли день без интернета|Останемся ли без связи], потому что [сдаю проект|работаю онлайн]?
o: [Самое большее пару часов|От силы полдня]: старую линию закрываем, когда уже работает новая. У переноса номер {request}, {name}.
# Подключить частный дом
c: @hi у меня частный дом {cityIn}, {street}, [опоры на улице есть|столбы вдоль дороги]. [Можно завести оптику|Реально провести оптику]?
o: @hello Для частных домов [сначала делаем обследование|сначала смотрим на месте]: это бесплатно, определим длину кабеля. До ста метров от опоры [стоит|цена] {total}.
c: До калитки [где-то шестьдесят|метров восемьдесят|не больше семидесяти] метров. А по двору [можно под землёй|можно закопать]?
o: @yes, если [у вас есть труба|проложена труба]; копаем не мы. Инженер может [посмотреть|приехать] {next} {window}.
c: [Согласны|Договорились], будем дома. Ворота [зелёные|коричневые|серые], [звоните в звонок|наберите {phone}].
o: Записано: обследование {request}, {name}. После него смета придёт на {email} [за день|в тот же вечер].
# Подключение в новостройке
c: @hi получили ключи в новостройке, {address}. [Застройщик говорит|В офисе говорят], что разрешён только один провайдер. [Это правда|Это законно]?
o: @hello [Нет|Не совсем]: выбирают жильцы. Мы [подали запрос|обратились] в управляющую компанию; подписались уже [одиннадцать|девятнадцать|четырнадцать] квартир.
c: Чем [помочь|ускорить]? В нашем чате [больше ста|двести] соседей.
o: Отправим на {email} коллективное заявление: с [тридцатью|сорока] подписями управляющая [обязана нас пустить|не сможет отказать]. Каждому подписавшему — [два месяца бесплатно|скидка {fee}].
c: [Отличная мысль|Мне нравится], [сегодня же выложу|кину в чат]. Когда [подключат первых|это начнётся]?
o: После разрешения работы длятся две недели, то есть [примерно {deadline}|с {deadline}]. Вы в списке под номером {request}, {name}.
# Оптика или обычный кабель
c: @hi на сайте для моего дома, {address}, есть [GPON и Ethernet|оптика и витая пара]. [В чём разница|Что лучше]?
o: @hello Оптика работает [без света в доме|во время отключений] и даёт до гигабита; медная линия дешевле на {fee}, но [останавливается|пропадает], как только выключат свет.
c: Свет у нас [выключают часто|пропадает дважды в неделю]. Для оптики [нужен другой роутер|надо особое оборудование]?
o: Нужен терминал: {total} купить или {fee} в месяц в аренду. {router} [останется после него|будет работать дальше]. Небольшой бесперебойник держит оба [шесть|пять] часов.
c: Тогда оптику. [Когда сможете приехать|Какая ближайшая дата]?
o: {next}, {window}. Мастеру нужны [розетка у двери|сорок минут]. Заявка {request}, тариф {plan}.
# Включить после долгого перерыва
c: @hi мы [год были за границей|полтора года были в отъезде] и вернулись. Договор {contract}, как [снова включить интернет|всё возобновить]?
o: @hello С возвращением! Договор [приостановлен|на паузе], долга нет. Пополните на {amount}, и [линия оживёт сама|через десять минут всё заработает].
c: [Оплачено|Только что <оплатил|оплатила>], а лампочка на {router} [оранжевая|до сих пор красная]. [Может, кабель перерезали|Может, порт занят]?
o: Порт за это время [отдали соседу|освободили], после года так по правилам. Мастер [подключит снова|даст новый] {next}, бесплатно, заявка {request}.
c: @ok, [подождём|нам подходит]. А старая цена [ещё действует|сохранится]?
o: [Да, ещё год|Сохраним на год]: {amount} на тарифе {plan}. Спасибо, что вернулись, {name}.
# Вторая линия для офиса
c: @hi нужна [вторая|резервная] линия в офис, {address}: [падает основная — встают продажи|кассы не могут оставаться без связи].
o: @hello Для этого есть резервный канал [по другой трассе|через радио], он [включается сам|подхватывает за десять секунд]. Цена {total} в месяц, гарантия прописана в договоре.
c: А [статический адрес|внешний IP] [после переключения|при аварии] останется тот же?
o: @yes, адрес виден через обе линии. Настроим на вашем {router} или дадим свой; обследование возможно {next} {window}.
c: Пусть будет {next}. [Проект договора|Предложение] пришлите, пожалуйста, на {email}.
o: [Отправлено|Уже в пути], номер {request}. Инженер [попросит план помещений|захочет взглянуть на серверный шкаф], {name}.
# Кабель через оконную раму
c: @hi мастер хочет [сверлить новую раму|делать отверстие в окне], {address}. Я [не хочу|против]. [Есть другой способ|Как ещё можно]?
o: @hello Конечно. Кабель можно завести [через подъезд и щиток|по стояку], это [на пятнадцать метров длиннее|чуть длиннее] и на {fee} дороже.
c: [<Согласен|Согласна>|Так намного лучше]. А в квартире хотелось бы [под плинтусом|в белом коробе].
o: Короб у мастера с собой. [Указано в заявке|Внесено в заявку] {request}, раму сверлить не будут.
c: [Спасибо за понимание|Спасибо, что услышали]. Визит, как и договаривались, {next}?
o: Да, {next}, {window}. Если [что-то пойдёт не так|мастер будет настаивать], сразу пишите сюда, {name}.
# Отменить заявку на подключение
c: @hi [отмените|снимите], пожалуйста, заявку {request}: [мы передумали насчёт квартиры|хозяин против кабелей|переезд не состоялся].
o: @hello [Жаль|Понимаю]. Оплаты ещё не было, так что [расходов нет|платить не надо]. Оставить заявку [на потом|до весны]?
c: [Возможно|Наверное], будем искать другую квартиру {cityIn}. [Оставьте|Пусть подождёт], пожалуйста.
o: Заявка на паузе до {deadline}. Когда будет адрес, напишите номер {request}, и [продолжим с этого места|ничего не придётся заполнять заново].
c: @ok. [Мне кто-то будет звонить|Рекламы звонками не будет]?
o: [Нет|Нет, не побеспокоим]: в договоре {contract} стоит отметка «не звонить». Удачных поисков, {name}!
`
}
