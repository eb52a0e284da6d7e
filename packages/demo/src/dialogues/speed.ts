// Speed and Wi-Fi: dialogue plans about slow internet, coverage in the flat, interference, games (form: see DialoguePlan.ts).
import type { SubjectDialogues } from "../DialoguePlan.ts"

export const speed: SubjectDialogues = {
  en: `
# Speed far below the tariff
c: @hi I pay for {plan}, but the test shows [only|no more than] {speed} megabits. [It has been like that since {date}|It started on {date}]. Contract {contract}.
o: @hello was it measured [over Wi-Fi or by cable|by cable or through the air]? And on which device, [a phone|a laptop or a phone]?
c: [Over Wi-Fi|Through Wi-Fi], {device}. By cable I [have not tried|cannot, there is no socket].
o: @so the port shows the full speed, so the bottleneck is the air. Which band is {device} on, [2.4 or 5 GHz|the one with 5G in its name or the other]?
c: The [ordinary one|one without 5G]. [Now I have switched|I have moved] to the five... [wow, it is ten times faster|it flies]!
o: [Great|Excellent]! Leave {device} there. {name}, at the far end of the flat [2.4 is more stable|the other band reaches further], that is normal.
# Weak Wi-Fi in the far room
c: @hi in the [bedroom|nursery|kitchen] there is one bar of Wi-Fi, {router} stands [in the hall|by the front door]. [What can be done|How can I improve it]?
o: @hello how many walls are between them, and are they [concrete|load-bearing]? [A photo of the plan helps|A rough plan of the flat would help].
c: Two [concrete|thick brick] walls and [a wardrobe with a mirror|a big mirror]. The flat is [eighty|ninety|seventy-five] metres.
o: A mirror stops the waves best of all. Either move {router} [higher and to the middle|to the corridor], or take a mesh set of two: {total} or {fee} a month.
c: [May I try it first|Can I test it]? If it [does not help|changes nothing], I do not want to keep it.
o: @yes, fourteen days with a full refund. The courier brings it on {next} between {window}, request {request}.
# High ping in games
c: @hi in games the ping [jumps to 200|goes up to 300], [I get thrown out of matches|it is impossible to play], mostly after {time}. Tariff {plan}.
o: @hello is the [console|computer] connected by cable? And does somebody [watch films|upload photos] at that time?
c: By cable. [My sister streams|My <wife|husband> has video calls] in the evening. [Is that the reason|Can that matter]?
o: It can: when the upload is full, games wait. In {router} switch on QoS and give the [console|computer] the highest priority. [I can send|I am sending] a guide to {email}.
c: [Done|I have set it up]. Ping is [thirty-five|forty] now and [steady|does not jump]. But the trace shows a node in [Frankfurt|Warsaw].
o: That is the game's server, we have [a direct channel|a short route] to it since {date}. If it [rises again|gets worse], send a trace to request {request}.
# New router, slower internet
c: @hi I bought a {router} in your shop, and it is [slower than the old one|worse than before]: {speed} instead of the former hundreds.
o: @hello which cable goes into the WAN port, [four or eight wires|the old one or the one from the box]? An old cable [gives a hundred at most|limits it].
c: The old one, it is [yellowed|squeezed by the door]. The one from the box is [too short|only a metre long].
o: @so then please try the short one [for a test|just to check], with {router} next to the terminal.
c: [It jumped at once|Now it is as promised]! So I need a [longer cable|five-metre cable]?
o: Category 5e or better, {fee} in our shop at {street}. I can [add it|put it] into the order {order}, delivery on {next}.
# Slow in the evening only
c: @hi from {time} on [everything crawls|the internet crawls], in the morning [it flies|all is well]. [Films stop every minute|Video falls apart]. Address {address}.
o: @hello I have looked at the load of your segment: [it reaches the ceiling|it is full] in the evening since {date}, when [the new houses were added|many new subscribers came].
c: So it is [on your side|your problem]. When will it be [fixed|solved]?
o: The channel is being widened [on {next}|in the night of {next}]. Until then I have [moved you to a freer port|given you priority]; please restart {router} and measure again.
c: Now it is {speed}, [better but not ideal|twice as good as yesterday].
o: After {next} it will be the full {plan}. You get {fee} back for these days on contract {contract}, {name}.
# Wi-Fi drops on one device
c: @hi {device} loses the Wi-Fi [every ten minutes|every quarter of an hour], the other devices are fine. [I have restarted everything|Restarting does not help].
o: @hello on {device} please [forget the network|delete the network] and enter the key again. Also switch off [the private address|random MAC] and [battery saving|power saving] for Wi-Fi.
c: Forgot, entered, [switched off|disabled]... [We shall see|Let us see]. Is my {router} perhaps too old?
o: @so the firmware is from last year. I can update {router} [from here|remotely], it takes five minutes [without internet|of downtime]. Shall I?
c: [Go ahead|Please do], I am [not working now|on a break].
o: Done, the new version is on since {time}. If {device} drops again, answer here, the request {request} stays open until {deadline}.
# Video calls freeze
c: @hi in video calls [they do not hear me|I freeze for the others], though I see them well. [I teach online|I have interviews] and it is [embarrassing|awkward].
o: @hello that points to the upload. Please measure it [now|during a call]: the download does not matter here, [the second number|upload] does.
c: Upload is {speed}, but it [falls to one|drops to almost nothing] when the [cloud backup|photo sync] starts.
o: Then the backup takes it all. Limit it [to half|to two megabits] or let it run at night. On {planNew} the upload is equal to the download, {amount} a month.
c: I have [limited it|set a limit], calls are fine. And {planNew} I would [like to try|take].
o: From {next} it is on contract {contract}, [free to go back within a month|you may return any time]. {name}, good luck with the calls!
# Strangers on my Wi-Fi
c: @hi in the list of {router} there are devices I do not know: [seven of them|four of them]. [Is somebody stealing my internet|Have I been hacked]?
o: @hello please send the names. Often those are [bulbs and vacuum cleaners|a TV and sockets] which one forgets. [Which of them look foreign|What are they called]?
c: ["Galaxy-A12"|"Redmi-9"] and ["DESKTOP-PC"|"LAPTOP-HP"], we [have no such things|do not own such]. The password was [our dog's name|my phone number].
o: @so then change the key: [at least twelve characters|a long phrase], WPA3 or WPA2, and switch off WPS. The page of {router} opens at 192.168.0.1, I stay here meanwhile.
c: [Changed|Done], strangers are gone. Could they [see my photos|read my mail]?
o: Mail and banks are encrypted. [Shared folders|The network drive] they could see, so change that password too. The note is in contract {contract}, {name}.
# Wired speed capped at 95
c: @hi by cable I always have ninety-five, no more, on {plan} and {device}. [The card is gigabit|The laptop supports a gigabit].
o: @hello ninety-five is the sign of a hundred-megabit link. Either [one pair in the cable is broken|the cable has four wires], or the port of {router} is slow.
c: {router} says gigabit. The cable was [laid by your fitter|crimped by your man] on {date}.
o: Then it is ours: I send a fitter to [crimp it again|replace the plugs] on {next} between {window}, free of charge, request {request}.
c: @ok. Is there [something I can check myself|anything to try before]?
o: Look at both plugs: [eight coloured wires must be seen|all eight wires must reach the end]. If one is loose, [leave it|do not touch it], {name}, we redo both.
# Adaptive quality on the smart TV
c: @hi films on the [smart TV|television] go down to [a blurry picture|low quality], on the phone [next to it|in the same room] the speed is {speed}.
o: @hello many televisions have a slow Wi-Fi card. Is there a [network socket|LAN port] near it? By cable even 4K needs [no more than thirty|about twenty-five] megabits.
c: The cable would have to [cross the room|run along the wall]. [Any other way|Is there an alternative]?
o: A TV box with a good antenna: {total} in the shop, or our box for {fee} a month with the channels on top. It can be with you on {next}.
c: The box for {fee} then. Will it [show my subscriptions|run the same apps]?
o: @yes, all of them. The order is {order}, delivery to {address}; the fitter sets it up if you [wish|like].
`,
  uk: `
# Швидкість нижча за тариф
c: @hi плачу за {plan}, а тест показує [лише|не більше ніж] {speed} мегабіт. [Так триває з {date}|Почалося {date}]. Договір {contract}.
o: @hello Міряли [через Wi-Fi чи кабелем|кабелем чи по повітрю]? І на якому пристрої, [телефон|ноутбук чи телефон]?
c: [Через Wi-Fi|По Wi-Fi], {device}. Кабелем [не <пробував|пробувала>|не вийде, немає гнізда].
o: @so на порту швидкість повна, отже, вузьке місце — повітря. У якому діапазоні {device}, [2,4 чи 5 ГГц|у мережі з позначкою 5G чи без]?
c: У [звичайному|тому, що без 5G]. [Щойно <перемкнув|перемкнула>|Переходжу] на п'ятий... [ого, удесятеро швидше|тепер літає]!
o: [Чудово|Супер]! Лишайте {device} там. {name}, у дальньому кутку [стабільніший 2,4|інший діапазон сягає далі], це нормально.
# Слабкий Wi-Fi в дальній кімнаті
c: @hi у [спальні|дитячій|кухні] лише одна поділка Wi-Fi, {router} стоїть [у коридорі|біля вхідних дверей]. [Що можна зробити|Як поліпшити]?
o: @hello Скільки стін між ними, вони [бетонні|несівні]? [Допоможе фото плану|Згодиться хоч приблизний план квартири].
c: Дві [бетонні|товсті цегляні] стіни й [шафа з дзеркалом|велике дзеркало]. Квартира [вісімдесят|дев'яносто|сімдесят п'ять] метрів.
o: Дзеркало гасить хвилі найсильніше. Або переставте {router} [вище й ближче до середини|в коридор], або візьміть комплект із двох точок: {total} чи {fee} на місяць.
c: [А спершу спробувати|А перевірити] можна? Якщо [не допоможе|нічого не зміниться], не хочу лишати.
o: @yes, чотирнадцять днів із повним поверненням. Кур'єр привезе {next} {window}, заявка {request}.
# Високий пінг в іграх
c: @hi в іграх пінг [стрибає до 200|підіймається до 300], [викидає з матчів|грати неможливо], здебільшого після {time}. Тариф {plan}.
o: @hello [Приставка|Комп'ютер] під'єднано кабелем? І чи хтось у цей час [дивиться фільми|вивантажує фото]?
c: Кабелем. Увечері [сестра веде стрими|<дружина|чоловік> на відеодзвінках|брат дивиться кіно]. [Це через це|Це може впливати]?
o: Може: коли вихідний канал забитий, гра чекає. Увімкніть на {router} QoS і дайте [приставці|комп'ютеру] найвищий пріоритет. Інструкцію [надсилаю|надішлю] на {email}.
c: [Готово|Налаштовано]. Пінг тепер [тридцять п'ять|сорок], [не стрибає|тримається рівно]. Але траса йде через [Франкфурт|Варшаву].
o: Там сервер гри, із {date} маємо до нього [прямий канал|коротку трасу]. Якщо [знову зросте|стане гірше], надішліть трасування до заявки {request}.
# Новий роутер, а інтернет повільніший
c: @hi <купив|купила> у вашому магазині {router}, а він [повільніший за старий|гірший, ніж був]: {speed} замість колишніх сотень.
o: @hello Який кабель у порту WAN, [на чотири жили чи на вісім|старий чи той, що в коробці]? Старий кабель [дає щонайбільше сто|обмежує швидкість].
c: Старий, він [пожовк|притиснутий дверима]. Той, що з коробки, [закороткий|лише метр].
o: @so тоді спробуйте короткий [для перевірки|хоч на хвилину], поставивши {router} біля термінала.
c: [Одразу злетіло|Тепер як обіцяли]! Тож потрібен [довший кабель|кабель на п'ять метрів]?
o: Категорії 5e або вищої, {fee} у нашому магазині, {street}. Можу [додати|вписати] його до замовлення {order}, доставка {next}.
# Повільно лише ввечері
c: @hi після {time} [усе ледве повзе|інтернет повзе], зранку [літає|все гаразд]. [Кіно зупиняється щохвилини|Відео розсипається]. Адреса {address}.
o: @hello @looked: ваш сегмент увечері [доходить до межі|заповнений] з {date}, відколи [під'єднали нові будинки|додалося багато абонентів].
c: Тобто це [у вас|ваша проблема]. Коли [виправите|розв'яжете]?
o: Канал розширюємо [{next}|уночі {next}]. Доти [перевели вас на вільніший порт|дали вам пріоритет]; перезавантажте {router} і поміряйте ще раз.
c: Тепер {speed}, [краще, та не ідеал|удвічі краще, ніж учора].
o: Після {next} буде повний {plan}. За ці дні повернемо {fee} на договір {contract}, {name}.
# Відпадає Wi-Fi на одному пристрої
c: @hi {device} губить Wi-Fi [що десять хвилин|кожні чверть години], решта працює. [Усе перезавантажено|Перезавантаження не допомагає].
o: @hello На {device} [забудьте мережу|вилучіть мережу] і введіть ключ знову. Ще вимкніть [приватну адресу|випадковий MAC] та [економію батареї|енергоощадний режим] для Wi-Fi.
c: Забуто, введено, [вимкнено|скасовано]... [Побачимо|Подивимося]. А {router} не застарий?
o: @so прошивка торішня. Можу оновити {router} [звідси|віддалено], це п'ять хвилин [без інтернету|перерви]. Оновлюю?
c: [Так, будь ласка|Давайте], я саме [не працюю|на перерві].
o: Готово, нова версія працює з {time}. Якщо {device} знову відпаде, пишіть сюди, заявка {request} відкрита до {deadline}.
# Завмирає відеозв'язок
c: @hi під час відеодзвінків [мене не чують|я завмираю для інших], хоча їх бачу добре. [Викладаю онлайн|У мене співбесіди], і це [незручно|соромно].
o: @hello Схоже на вихідний канал. Поміряйте [зараз|під час дзвінка]: завантаження тут неважливе, важливе [друге число|вивантаження].
c: Вивантаження {speed}, але [падає до одного|майже зникає], коли [починається хмарна копія|синхронізуються фото].
o: Отже, копія забирає все. Обмежте її [наполовину|двома мегабітами] або пустіть уночі. На тарифі {planNew} вивантаження дорівнює завантаженню, {amount} на місяць.
c: [Обмеження стоїть|Уже обмежено], зв'язок рівний. А {planNew} [хочу спробувати|візьму].
o: З {next} він на договорі {contract}, [протягом місяця можна повернутися|повернутися можна будь-коли]. {name}, вдалих розмов!
# Чужі пристрої в моєму Wi-Fi
c: @hi у списку {router} є пристрої, яких не знаю: [аж сім|чотири]. [Хтось краде інтернет|Мене зламали]?
o: @hello Надішліть, будь ласка, назви. Часто це [лампочки й пилосос|телевізор і розетки], про які забувають. [Які здаються чужими|Як вони підписані]?
c: [«Galaxy-A12»|«Redmi-9»] і [«DESKTOP-PC»|«LAPTOP-HP»], у нас [такого немає|таких нема]. Пароль був [ім'ям собаки|номером телефону].
o: @so тоді змініть ключ: [щонайменше дванадцять знаків|довга фраза], WPA3 або WPA2, і вимкніть WPS. Сторінка {router} — 192.168.0.1, я поруч, якщо що.
c: [Змінено|Готово], чужих нема. А вони могли [бачити мої фото|читати пошту]?
o: Пошта й банки зашифровані. [Спільні теки|Мережевий диск] могли бачити, тож змініть і той пароль. Позначка є в договорі {contract}, {name}.
# Кабелем не більше 95 мегабіт
c: @hi кабелем завжди дев'яносто п'ять, не більше, тариф {plan}, {device}. [Карта гігабітна|Ноутбук тягне гігабіт].
o: @hello Дев'яносто п'ять — ознака стомегабітного з'єднання. Або [одна пара в кабелі перебита|у кабелі чотири жили], або повільний порт {router}.
c: {router} гігабітний. Кабель [прокладав ваш майстер|обтискав ваш працівник] {date}.
o: Тоді це наше: майстер [обтисне заново|замінить конектори] {next} {window}, безкоштовно, заявка {request}.
c: @ok. [Самому можна щось перевірити|До того можна щось спробувати]?
o: Гляньте на обидва конектори: [має бути видно вісім кольорових жил|усі вісім жил мають доходити до краю]. Якщо якась хитається, [не чіпайте|лишіть], {name}, ми переробимо обидва.
# Погана якість на телевізорі
c: @hi кіно на [смарт-телевізорі|телевізорі] падає до [розмитої картинки|низької якості], а телефон [поруч|у тій самій кімнаті] показує {speed}.
o: @hello У багатьох телевізорів слабка карта Wi-Fi. Чи є біля нього [гніздо LAN|мережева розетка]? Кабелем навіть для 4K досить [тридцяти|двадцяти п'яти] мегабіт.
c: Кабель довелося б [тягти через кімнату|вести вздовж стіни]. [Інакше ніяк|Є інший варіант]?
o: ТВ-бокс із доброю антеною: {total} у магазині або наша приставка за {fee} на місяць, ще й з каналами. Привеземо {next}.
c: Тоді приставку за {fee}. [Мої підписки працюватимуть|Застосунки ті самі]?
o: @yes, усі. Замовлення {order}, доставка: {address}; за бажанням майстер [налаштує|усе підключить].
`,
  ru: `
# Скорость ниже тарифа
c: @hi плачу за {plan}, а тест показывает [только|не больше] {speed} мегабит. [Так с {date}|Началось {date}]. Договор {contract}.
o: @hello Мерили [через Wi-Fi или кабелем|кабелем или по воздуху]? И на каком устройстве, [телефон|ноутбук или телефон]?
c: [Через Wi-Fi|По Wi-Fi], {device}. Кабелем [не <пробовал|пробовала>|не выйдет, нет гнезда].
o: @so на порту скорость полная, значит, узкое место — воздух. В каком диапазоне {device}, [2,4 или 5 ГГц|в сети с пометкой 5G или без]?
c: В [обычном|том, что без 5G]. [Только что <переключил|переключила>|Перехожу] на пятый... [ого, в десять раз быстрее|теперь летает]!
o: [Отлично|Супер]! Оставляйте {device} там. {name}, в дальнем углу [стабильнее 2,4|другой диапазон достаёт дальше], это нормально.
# Слабый Wi-Fi в дальней комнате
c: @hi в [спальне|детской|кухне] только одно деление Wi-Fi, {router} стоит [в коридоре|у входной двери]. [Что можно сделать|Как улучшить]?
o: @hello Сколько стен между ними, они [бетонные|несущие]? [Поможет фото плана|Пригодится хоть примерный план квартиры].
c: Две [бетонные|толстые кирпичные] стены и [шкаф с зеркалом|большое зеркало]. Квартира [восемьдесят|девяносто|семьдесят пять] метров.
o: Зеркало гасит волны сильнее всего. Или переставьте {router} [выше и ближе к середине|в коридор], или возьмите комплект из двух точек: {total} либо {fee} в месяц.
c: [А сначала попробовать|А проверить] можно? Если [не поможет|ничего не изменится], не хочу оставлять.
o: @yes, четырнадцать дней с полным возвратом. Курьер привезёт {next} {window}, заявка {request}.
# Высокий пинг в играх
c: @hi в играх пинг [прыгает до 200|поднимается до 300], [выбрасывает из матчей|играть невозможно], в основном после {time}. Тариф {plan}.
o: @hello [Приставка|Компьютер] подключается кабелем? И кто-нибудь в это время [смотрит фильмы|выгружает фото]?
c: Кабелем. Вечером [сестра ведёт стримы|<жена|муж> на видеозвонках|брат смотрит кино]. [Это из-за этого|Это может влиять]?
o: Может: когда исходящий канал забит, игра ждёт. Включите на {router} QoS и дайте [приставке|компьютеру] высший приоритет. Инструкцию [отправляю|отправлю] на {email}.
c: [Готово|Настроено]. Пинг теперь [тридцать пять|сорок], [не прыгает|держится ровно]. Но трасса идёт через [Франкфурт|Варшаву].
o: Там сервер игры, с {date} у нас к нему [прямой канал|короткая трасса]. Если [снова вырастет|станет хуже], пришлите трассировку к заявке {request}.
# Новый роутер, а интернет медленнее
c: @hi <купил|купила> в вашем магазине {router}, а он [медленнее старого|хуже, чем был]: {speed} вместо прежних сотен.
o: @hello Какой кабель в порту WAN, [на четыре жилы или на восемь|старый или тот, что в коробке]? Старый кабель [даёт самое большее сто|ограничивает скорость].
c: Старый, он [пожелтел|прижат дверью]. Тот, что из коробки, [слишком короткий|всего метр].
o: @so тогда попробуйте короткий [для проверки|хоть на минуту], поставив {router} возле терминала.
c: [Сразу взлетело|Теперь как обещали]! Значит, нужен [кабель подлиннее|кабель на пять метров]?
o: Категории 5e или выше, {fee} в нашем магазине, {street}. Могу [добавить|вписать] его в заказ {order}, доставка {next}.
# Медленно только вечером
c: @hi после {time} [всё еле ползёт|интернет ползёт], с утра [летает|всё нормально]. [Кино останавливается каждую минуту|Видео рассыпается]. Адрес {address}.
o: @hello @looked: ваш сегмент вечером [доходит до предела|заполнен] с {date}, с тех пор как [подключили новые дома|добавилось много абонентов].
c: То есть это [у вас|ваша проблема]. Когда [исправите|решите]?
o: Канал расширяем [{next}|в ночь на {next}]. До этого [перевели вас на порт посвободнее|дали вам приоритет]; перезагрузите {router} и измерьте ещё раз.
c: Теперь {speed}, [лучше, но не идеал|вдвое лучше, чем вчера].
o: После {next} будет полный {plan}. За эти дни вернём {fee} на договор {contract}, {name}.
# Отваливается Wi-Fi на одном устройстве
c: @hi {device} теряет Wi-Fi [каждые десять минут|каждые четверть часа], остальное работает. [Всё перезагружено|Перезагрузка не помогает].
o: @hello На {device} [забудьте сеть|удалите сеть] и введите ключ снова. Ещё выключите [частный адрес|случайный MAC] и [экономию батареи|энергосбережение] для Wi-Fi.
c: Забыто, введено, [выключено|отключено]... [Посмотрим|Увидим]. А {router} не слишком старый?
o: @so прошивка прошлогодняя. Могу обновить {router} [отсюда|удалённо], это пять минут [без интернета|перерыва]. Обновляю?
c: [Да, пожалуйста|Давайте], я как раз [не работаю|на перерыве].
o: Готово, новая версия работает с {time}. Если {device} снова отвалится, пишите сюда, заявка {request} открыта до {deadline}.
# Замирает видеосвязь
c: @hi во время видеозвонков [меня не слышат|я замираю для других], хотя их вижу хорошо. [Преподаю онлайн|У меня собеседования], и это [неудобно|неловко].
o: @hello Похоже на исходящий канал. Измерьте [сейчас|во время звонка]: загрузка тут не важна, важно [второе число|исходящее].
c: Исходящая {speed}, но [падает до единицы|почти пропадает], когда [начинается облачная копия|синхронизируются фото].
o: Значит, копия забирает всё. Ограничьте её [наполовину|двумя мегабитами] или пустите ночью. На тарифе {planNew} исходящая равна входящей, {amount} в месяц.
c: [Ограничение стоит|Уже ограничили], связь ровная. А {planNew} [хочу попробовать|возьму].
o: С {next} он на договоре {contract}, [в течение месяца можно вернуться|вернуться можно когда угодно]. {name}, удачных разговоров!
# Чужие устройства в моём Wi-Fi
c: @hi в списке {router} есть устройства, которых не знаю: [целых семь|четыре]. [Кто-то крадёт интернет|Меня взломали]?
o: @hello Пришлите, пожалуйста, названия. Часто это [лампочки и пылесос|телевизор и розетки], о которых забывают. [Какие кажутся чужими|Как они подписаны]?
c: [«Galaxy-A12»|«Redmi-9»] и [«DESKTOP-PC»|«LAPTOP-HP»], у нас [такого нет|таких нет]. Пароль был [именем собаки|номером телефона].
o: @so тогда смените ключ: [не меньше двенадцати знаков|длинная фраза], WPA3 или WPA2, и выключите WPS. Страница {router} — 192.168.0.1, я рядом, если что.
c: [Сменили|Готово], чужих нет. А они могли [видеть мои фото|читать почту]?
o: Почта и банки зашифрованы. [Общие папки|Сетевой диск] могли видеть, так что смените и тот пароль. Пометка есть в договоре {contract}, {name}.
# Кабелем не больше 95 мегабит
c: @hi кабелем всегда девяносто пять, не больше, тариф {plan}, {device}. [Карта гигабитная|Ноутбук тянет гигабит].
o: @hello Девяносто пять — признак стомегабитного соединения. Или [одна пара в кабеле перебита|в кабеле четыре жилы], или медленный порт {router}.
c: {router} гигабитный. Кабель [прокладывал ваш мастер|обжимал ваш работник] {date}.
o: Тогда это наше: мастер [обожмёт заново|заменит коннекторы] {next} {window}, бесплатно, заявка {request}.
c: @ok. [Самому можно что-то проверить|До этого можно что-то попробовать]?
o: Взгляните на оба коннектора: [должно быть видно восемь цветных жил|все восемь жил должны доходить до края]. Если какая-то шатается, [не трогайте|оставьте], {name}, мы переделаем оба.
# Плохое качество на телевизоре
c: @hi кино на [смарт-телевизоре|телевизоре] падает до [размытой картинки|низкого качества], а телефон [рядом|в той же комнате] показывает {speed}.
o: @hello У многих телевизоров слабая карта Wi-Fi. Есть ли рядом с ним [гнездо LAN|сетевая розетка]? Кабелем даже для 4K хватит [тридцати|двадцати пяти] мегабит.
c: Кабель пришлось бы [тянуть через комнату|вести вдоль стены]. [Иначе никак|Есть другой вариант]?
o: ТВ-бокс с хорошей антенной: {total} в магазине или наша приставка за {fee} в месяц, ещё и с каналами. Привезём {next}.
c: Тогда приставку за {fee}. [Мои подписки будут работать|Приложения те же]?
o: @yes, все. Заказ {order}, доставка: {address}; по желанию мастер [настроит|всё подключит].
`
}
