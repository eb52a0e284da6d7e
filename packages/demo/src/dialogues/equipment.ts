// Equipment: dialogue plans about routers, terminals, UPS, rental and settings (form: see DialoguePlan.ts).
import type { SubjectDialogues } from "../DialoguePlan.ts"

export const equipment: SubjectDialogues = {
  en: `
# Set up a new router
c: @hi I bought {router} and cannot [set it up|get it going]: it asks for a [connection type|PPPoE or dynamic]. Contract {contract}.
o: @hello choose [dynamic IP|automatic (DHCP)] and clone nothing: we bind by contract, not by address. Is the cable from the wall in the [blue|WAN] port?
c: It is in the [blue one|first one]. Now it says [connected, no internet|waiting for an address].
o: I see the new device with the number {serial} on your line and have [allowed|registered] it. Please restart {router}.
c: [It works|Internet is there]! Now the Wi-Fi: how do I [name the network|set my own password]?
o: In the app of the maker or at 192.168.0.1, page Wireless. [Take one name for both bands|Choose WPA2/WPA3], {name}; the request {request} is closed.
# Router restarts by itself
c: @hi {router} [restarts by itself|reboots on its own] three or four times a day since {date}. It is [rented from you|yours, rented].
o: @hello is it [warm|hot] to the touch? And is it plugged into [an extension with other devices|a common extension lead]?
c: Quite [hot|warm], stands [on the set-top box|in a closed cabinet]. [The adapter crackles a little|The plug is loose].
o: It is the adapter. I [send a new one|exchange it] with the courier on {next} between {window}, free as it is rented, request {request}.
c: @ok, address {address}. Until then [can I use it|is it dangerous]?
o: Better [take it out at night|do not leave it on unattended]. And put {router} [in the open|on a shelf], {name}: heat shortens its life.
# Return the rented router
c: @hi I have bought my own {router} and want to [give back|return] the rented one, serial number {serial}. [Where|How] can I do that?
o: @hello in any shop, the nearest is at {street}, or with the courier for {fee}. [The adapter and the box|The power adapter] must be with it.
c: The adapter is there, the box [is long gone|got thrown away]. [Is it a problem|Will you still take it]?
o: No problem. The rent of {fee} stops [on the day of return|as soon as it is scanned in]. Shall I [book a courier|note the shop]?
c: The courier, {address}, on {next} between {window}.
o: Booked, request {request}. He gives you a [certificate of return|receipt]; [keep it until the bill|it closes the rent] on contract {contract}, {name}.
# Power supply for the router
c: @hi which [UPS|backup battery] fits {router} and your terminal? The power is off for [four|six|five] hours at a time.
o: @hello look at the adapters: [volts and amperes|the line "output"], usually 12 V and 1 A for {router} and [12 V 0.5 A|9 V 0.6 A] for the terminal.
c: The router says 12 V [1.5|2|1] A, the terminal 12 V 0.5 A. So [one device for both|can one feed both]?
o: Yes: a mini-UPS of [18,000|15,000|20,000] mAh with two outputs lasts [seven|six|eight] hours, {total}. It is [in stock|available] at {street}.
c: [Can it be delivered|Do you deliver], and may I pay [in two parts|by instalments]?
o: @yes. Order {order}, {next} between {window}, two payments without interest on {contract}. [Charge it fully first|The first charge takes a night], {name}.
# Terminal makes noise and gets hot
c: @hi the fibre terminal in the hall [buzzes|hums] and is so hot that [the wallpaper turned yellow|I am afraid of a fire]. Serial number {serial}.
o: @hello please unplug it [for now|right away]. When was it [installed|mounted], and is it covered by [clothes|anything]?
c: On {date} [two years ago|last year], nothing covers it. Without it we [have no internet|are offline], of course.
o: @sorry. It is under guarantee; the fitter exchanges it today between {window}, request {request}. For the evening I have [opened twenty gigabytes|given free traffic] on {phone}.
c: @ok, we wait. [Does the exchange cost|Is there anything to pay]?
o: Nothing. He also [checks the socket|measures the voltage] at {address}: if it is too high, we write a [note for the power company|paper for the housing office].
# Wi-Fi password forgotten
c: @hi I forgot the Wi-Fi password of {router}, [guests are coming|a new phone must be connected]. [Can you see it|Is it in your system]?
o: @hello we do not store it, but two ways are quick: [the sticker on the bottom|a laptop that is already connected]. Is there [one connected by cable|a computer in the network]?
c: The laptop is [in the network|connected]. [Where do I look|What do I open]?
o: @so Settings, Network, Wi-Fi, Properties, "Show". Or open 192.168.0.1 and [read it on the page Wireless|set a new one there].
c: [Found it|There it is]! It was [our street and the year|the cat's name], silly of me.
o: A good moment for a longer one, {name}. A [guest network|second network for guests] on {router} keeps the main key secret; [write if you need help|I can explain how].
# Which mesh system to buy
c: @hi we have [two floors|a house of two floors], {router} does not reach [the attic|the bedroom upstairs]. [Which mesh|What kind of mesh system] do you advise for up to {total}?
o: @hello is there a [network cable|LAN socket] between the floors? With a cable behind it [any mesh doubles|the second point gives full speed].
c: There is a cable [to the study|to the upper hall], laid [by the builders|during the repair].
o: Then two points with gigabit ports, {total} the pair, now with a discount of {fee} for contract {contract}. {router} can [be sold or kept as a spare|stay as a spare].
c: [Fine|Agreed]. Does the fitter [configure it|set it up] too?
o: @yes, it is included. He comes on {next} between {window}, order {order}. {name}, please [have the app password ready|think of a network name].
# Camera does not connect
c: @hi the camera from your shop [does not find|cannot see] the Wi-Fi of {router}, the light blinks [red|orange]. {device} is in the same network.
o: @hello such cameras know only 2.4 GHz. Is the network name [common for both bands|one for both]? Then [switch 5 GHz off for a minute|make a separate name].
c: [One name for both|Yes, one name]. Switching off... now the camera [says hello|answers], but it has no time set.
o: @so the time comes from the app: open Settings, Device, Time zone, Kyiv. After that [switch 5 GHz on|you may turn the second band on again].
c: [All works|It records]. How long are the records [kept|stored] in the cloud?
o: [Seven|Fourteen] days for {fee} a month, or on a memory card without payment. It is noted in request {request}, {name}.
# Port forwarding for a server
c: @hi I need ports [80 and 443|22 and 443] open on {router} for a [home server|video recorder], they [do not answer from outside|are closed]. Contract {contract}.
o: @hello do you have a real address? @looked: there is [a shared one|a private address], with it no port can be opened.
c: [How do I get a real one|What does a static one cost]? It must not [change|be different every day].
o: A static address is {fee} a month. I can switch it on now, the session [restarts|breaks] for a minute.
c: [Switch it on|Go ahead]. And the rule in {router} is ready: [to 192.168.0.10|to the server].
o: It is on since {time}. Please check from outside, [for example from the phone|by mobile internet]; request {request}. And {name}, [set strong passwords|keep the software updated].
# Old router, no new tariff
c: @hi I want to go to {planNew}, but the site says that my {router} [does not suit|is not supported]. [Is it true|Is this advertising]?
o: @hello its ports give a hundred megabits, {planNew} needs a gigabit. It would work, but [at a tenth of the speed|you would pay for nothing].
c: [Honest of you|Fair]. And with [an exchange|trade-in]: [do you take old ones|can I hand it in]?
o: Yes, for any old router we give {fee} off a new one. With that the ASUS model costs {total}, [in stock at {street}|available today].
c: I will come [today after {time}|on {next}]. [What should I take|Do I need my passport]?
o: The old {router} with its adapter and the contract number {contract}. The reserve has number {order}, it holds [till the evening|two days], {name}.
`,
  uk: `
# Налаштувати новий роутер
c: @hi <купив|купила> {router} і не можу [налаштувати|запустити]: питає [тип з'єднання|PPPoE чи динамічну адресу]. Договір {contract}.
o: @hello Виберіть [динамічну IP|«Автоматично (DHCP)»] і нічого не клонуйте: у нас прив'язка за договором. Кабель зі стіни в [синьому порту|порту WAN]?
c: У [синьому|першому]. Тепер пише [«підключено, без інтернету»|«очікування адреси»].
o: Бачу на лінії новий пристрій {serial}, [дозвіл надано|зареєстровано]. Перезавантажте, будь ласка, {router}.
c: [Працює|Інтернет є]! Тепер Wi-Fi: як [назвати мережу|поставити свій пароль]?
o: У застосунку виробника або 192.168.0.1, сторінка «Бездротова мережа». [Одна назва на обидва діапазони|Захист WPA2/WPA3], {name}; заявку {request} закрито.
# Роутер сам перезавантажується
c: @hi {router} [сам перезавантажується|вимикається і вмикається] по три-чотири рази на день із {date}. Він [орендований у вас|ваш, в оренді].
o: @hello Він [теплий|гарячий] на дотик? І чи не ввімкнений у [подовжувач з іншими приладами|спільний подовжувач]?
c: Добряче [гарячий|теплий], стоїть [на приставці|у закритій шафі]. [Блок трохи тріщить|Штекер хитається].
o: Це блок живлення. [Надішлемо новий|Замінимо] кур'єром {next} {window}, безкоштовно, бо оренда, заявка {request}.
c: @ok, адреса {address}. А доти [можна користуватися|це не небезпечно]?
o: Краще [на ніч вимикайте|не лишайте без нагляду]. І поставте {router} [на відкрите місце|на полицю], {name}: від спеки він старіє швидше.
# Повернути орендований роутер
c: @hi <купив|купила> свій {router}, хочу [здати|повернути] орендований, серійний номер {serial}. [Де|Як] це зробити?
o: @hello У будь-якому магазині, найближчий — {street}, або кур'єром за {fee}. [Потрібні блок живлення й коробка|Не забудьте блок живлення].
c: Блок є, коробки [давно нема|вже немає]. [Це проблема|Усе одно приймете]?
o: Не проблема. Оренда {fee} припиниться [в день повернення|щойно його приймуть]. [Викликати кур'єра|Записати на магазин]?
c: Кур'єра, {address}, {next}, {window}.
o: Записано, заявка {request}. Він дасть [акт повернення|квитанцію]; [збережіть до рахунка|вона закриває оренду] за договором {contract}, {name}.
# Живлення для роутера без світла
c: @hi який [безперебійник|акумулятор] підійде для {router} і вашого термінала? Світла немає по [чотири|шість|п'ять] годин.
o: @hello Гляньте на блоки живлення: [вольти й ампери|рядок «output»], зазвичай 12 В і 1 А для {router} та [12 В 0,5 А|9 В 0,6 А] для термінала.
c: На роутері 12 В [1,5|2|1] А, на терміналі 12 В 0,5 А. То [один на двох|вистачить одного]?
o: Так: міні-UPS на [18 000|15 000|20 000] мА·год із двома виходами тримає [сім|шість|вісім] годин, {total}. [Є в наявності|Є в магазині]: {street}.
c: [А доставка є|Привезете]? І чи можна [двома частинами|на виплат]?
o: @yes. Замовлення {order}, {next} {window}, дві оплати без відсотків за {contract}. [Спершу повністю зарядіть|Перша зарядка — на ніч], {name}.
# Термінал гуде й гріється
c: @hi оптичний термінал у коридорі [гуде|дзижчить] і такий гарячий, що [пожовкли шпалери|страшно за пожежу]. Серійний номер {serial}.
o: @hello Вимкніть його, будь ласка, [поки що|просто зараз]. Коли його [встановили|монтували], і чи не накритий він [одягом|чимось]?
c: {date}, [два роки тому|торік], нічим не накритий. Без нього, звісно, [немає інтернету|сидимо без зв'язку].
o: @sorry. Він на гарантії; майстер замінить сьогодні {window}, заявка {request}. На вечір [відкрито двадцять гігабайтів|дано безкоштовний трафік] на {phone}.
c: @ok, чекаємо. [Заміна платна|За заміну щось платити]?
o: Ні. Він ще [перевірить розетку|виміряє напругу] за адресою {address}: якщо зависока, дамо [лист для енергетиків|папір для ЖЕКу].
# Забули пароль від Wi-Fi
c: @hi <забув|забула> пароль від Wi-Fi на {router}, [прийдуть гості|треба під'єднати новий телефон]. [Ви його бачите|Він у вас є]?
o: @hello Ми його не зберігаємо, але є два швидкі способи: [наліпка знизу|ноутбук, що вже в мережі]. Чи є [під'єднаний кабелем|комп'ютер у мережі]?
c: Ноутбук [у мережі|під'єднаний]. [Де дивитися|Що відкрити]?
o: @so «Налаштування», «Мережа», Wi-Fi, «Властивості», «Показати». Або 192.168.0.1 і [прочитайте на сторінці «Бездротова мережа»|поставте там новий].
c: [Є|Знайшлося]! Там [наша вулиця й рік|кличка кота], смішно.
o: Гарна нагода взяти довший, {name}. [Гостьова мережа|Друга мережа для гостей] на {router} береже основний ключ; [підкажу, як увімкнути|пишіть, якщо треба допомогти].
# Яку mesh-систему взяти
c: @hi у нас [два поверхи|двоповерховий будинок], {router} не дістає [до мансарди|до спальні нагорі]. [Яку mesh-систему|Який комплект mesh] порадите до {total}?
o: @hello Чи є між поверхами [мережевий кабель|розетка LAN]? Із кабелем [будь-яка mesh удвічі краща|друга точка дає повну швидкість].
c: Кабель є [до кабінету|до верхнього холу], його [клали будівельники|прокладено під час ремонту].
o: Тоді дві точки з гігабітними портами, {total} за пару, зараз знижка {fee} для договору {contract}. {router} [можна продати або лишити про запас|лишиться запасним].
c: [Добре|Згода]. А майстер [налаштує|усе налаштує сам]?
o: @yes, це входить у ціну. Буде {next} {window}, замовлення {order}. {name}, [приготуйте пароль до застосунку|придумайте назву мережі].
# Камера не під'єднується
c: @hi камера з вашого магазину [не знаходить|не бачить] Wi-Fi від {router}, лампочка блимає [червоним|помаранчевим]. {device} у тій самій мережі.
o: @hello Такі камери знають лише 2,4 ГГц. Назва мережі [спільна на два діапазони|одна на обидва]? Тоді [вимкніть 5 ГГц на хвилину|зробіть окрему назву].
c: [Одна на обидва|Так, одна]. Вимикаю... камера [озвалася|відповіла], але час не той.
o: @so час береться із застосунку: «Налаштування», «Пристрій», «Часовий пояс», Київ. Потім [умикайте 5 ГГц|другий діапазон можна ввімкнути].
c: [Усе працює|Пише]. А скільки записи [зберігаються|тримаються] у хмарі?
o: [Сім|Чотирнадцять] днів за {fee} на місяць або на картці пам'яті без оплати. Записано в заявці {request}, {name}.
# Відкрити порти для сервера
c: @hi треба відкрити порти [80 і 443|22 і 443] на {router} для [домашнього сервера|відеореєстратора], ззовні вони [не відповідають|закриті]. Договір {contract}.
o: @hello А чи є у вас зовнішня адреса? @looked: стоїть [спільна|приватна], з нею порти не відкрити.
c: [Як отримати зовнішню|Скільки коштує статична]? Щоб [не змінювалася|щодня не була інша].
o: Статична адреса — {fee} на місяць. Можу ввімкнути зараз, сесія [перезапуститься|перерветься] на хвилину.
c: [Умикайте|Так, прошу]. Правило на {router} готове: [на 192.168.0.10|на сервер].
o: Увімкнено о {time}. Перевірте ззовні, [скажімо, з телефона|через мобільний інтернет]; заявка {request}. І, {name}, [поставте надійні паролі|оновлюйте програми].
# Старий роутер і новий тариф
c: @hi хочу на {planNew}, а сайт пише, що {router} [не підходить|не підтримується]. [Це правда|Це реклама]?
o: @hello Його порти дають сто мегабіт, а {planNew} потребує гігабіта. Працюватиме, але [на десяту частину|платитимете дарма].
c: [Чесно|Дякую за чесність]. А [обмін є|старий приймаєте]: [можна здати|скільки за нього]?
o: Так, за будь-який старий роутер — знижка {fee} на новий. Тоді ASUS коштує {total}, [є в магазині, {street}|можна забрати сьогодні].
c: Прийду [сьогодні після {time}|{next}]. [Що взяти|Паспорт потрібен]?
o: Старий {router} із блоком і номер договору {contract}. Резерв має номер {order}, діє [до вечора|два дні], {name}.
`,
  ru: `
# Настроить новый роутер
c: @hi <купил|купила> {router} и не могу [настроить|запустить]: спрашивает [тип соединения|PPPoE или динамический адрес]. Договор {contract}.
o: @hello Выберите [динамический IP|«Автоматически (DHCP)»] и ничего не клонируйте: у нас привязка по договору. Кабель из стены в [синем порту|порту WAN]?
c: В [синем|первом]. Теперь пишет [«подключено, без интернета»|«ожидание адреса»].
o: Вижу на линии новое устройство {serial}, [разрешение выдано|зарегистрировано]. Перезагрузите, пожалуйста, {router}.
c: [Работает|Интернет есть]! Теперь Wi-Fi: как [назвать сеть|поставить свой пароль]?
o: В приложении производителя или 192.168.0.1, страница «Беспроводная сеть». [Одно название на оба диапазона|Защита WPA2/WPA3], {name}; заявка {request} закрыта.
# Роутер сам перезагружается
c: @hi {router} [сам перезагружается|выключается и включается] по три-четыре раза в день с {date}. Он [арендован у вас|ваш, в аренде].
o: @hello Он [тёплый|горячий] на ощупь? И не включён ли в [удлинитель с другими приборами|общий удлинитель]?
c: Изрядно [горячий|тёплый], стоит [на приставке|в закрытом шкафу]. [Блок слегка трещит|Штекер шатается].
o: Это блок питания. [Отправим новый|Заменим] курьером {next} {window}, бесплатно, раз аренда, заявка {request}.
c: @ok, адрес {address}. А до этого [можно пользоваться|это не опасно]?
o: Лучше [на ночь выключайте|не оставляйте без присмотра]. И поставьте {router} [на открытое место|на полку], {name}: от жары он стареет быстрее.
# Вернуть арендованный роутер
c: @hi <купил|купила> свой {router}, хочу [сдать|вернуть] арендованный, серийный номер {serial}. [Где|Как] это сделать?
o: @hello В любом магазине, ближайший — {street}, или курьером за {fee}. [Нужны блок питания и коробка|Не забудьте блок питания].
c: Блок есть, коробки [давно нет|уже нет]. [Это проблема|Всё равно примете]?
o: Не проблема. Аренда {fee} прекратится [в день возврата|как только его примут]. [Вызвать курьера|Записать на магазин]?
c: Курьера, {address}, {next}, {window}.
o: Записано, заявка {request}. Он даст [акт возврата|квитанцию]; [сохраните до счёта|она закрывает аренду] по договору {contract}, {name}.
# Питание для роутера без света
c: @hi какой [бесперебойник|аккумулятор] подойдёт для {router} и вашего терминала? Света нет по [четыре|шесть|пять] часов.
o: @hello Взгляните на блоки питания: [вольты и амперы|строку «output»], обычно 12 В и 1 А для {router} и [12 В 0,5 А|9 В 0,6 А] для терминала.
c: На роутере 12 В [1,5|2|1] А, на терминале 12 В 0,5 А. То есть [один на двоих|хватит одного]?
o: Да: мини-UPS на [18 000|15 000|20 000] мА·ч с двумя выходами держит [семь|шесть|восемь] часов, {total}. [Есть в наличии|Есть в магазине]: {street}.
c: [А доставка есть|Привезёте]? И можно [двумя частями|в рассрочку]?
o: @yes. Заказ {order}, {next} {window}, две оплаты без процентов по {contract}. [Сначала полностью зарядите|Первая зарядка — на ночь], {name}.
# Терминал гудит и греется
c: @hi оптический терминал в коридоре [гудит|жужжит] и такой горячий, что [пожелтели обои|страшно за пожар]. Серийный номер {serial}.
o: @hello Выключите его, пожалуйста, [пока что|прямо сейчас]. Когда его [установили|монтировали], и не накрыт ли он [одеждой|чем-нибудь]?
c: {date}, [два года назад|в прошлом году], ничем не накрыт. Без него, конечно, [нет интернета|сидим без связи].
o: @sorry. Он на гарантии; мастер заменит сегодня {window}, заявка {request}. На вечер [открыто двадцать гигабайт|дан бесплатный трафик] на {phone}.
c: @ok, ждём. [Замена платная|За замену что-то платить]?
o: Нет. Он ещё [проверит розетку|измерит напряжение] по адресу {address}: если слишком высокое, дадим [письмо для энергетиков|бумагу для ЖЭКа].
# Забыли пароль от Wi-Fi
c: @hi <забыл|забыла> пароль от Wi-Fi на {router}, [придут гости|надо подключить новый телефон]. [Вы его видите|Он у вас есть]?
o: @hello Мы его не храним, но есть два быстрых способа: [наклейка снизу|ноутбук, который уже в сети]. Есть ли [подключённый кабелем|компьютер в сети]?
c: Ноутбук [в сети|подключён]. [Где смотреть|Что открыть]?
o: @so «Настройки», «Сеть», Wi-Fi, «Свойства», «Показать». Или 192.168.0.1 и [прочтите на странице «Беспроводная сеть»|поставьте там новый].
c: [Есть|Нашлось]! Там [наша улица и год|кличка кота], смешно.
o: Хороший повод взять подлиннее, {name}. [Гостевая сеть|Вторая сеть для гостей] на {router} бережёт основной ключ; [подскажу, как включить|пишите, если нужно помочь].
# Какую mesh-систему взять
c: @hi у нас [два этажа|двухэтажный дом], {router} не достаёт [до мансарды|до спальни наверху]. [Какую mesh-систему|Какой комплект mesh] посоветуете до {total}?
o: @hello Есть ли между этажами [сетевой кабель|розетка LAN]? С кабелем [любая mesh вдвое лучше|вторая точка даёт полную скорость].
c: Кабель есть [до кабинета|до верхнего холла], его [клали строители|проложили при ремонте].
o: Тогда две точки с гигабитными портами, {total} за пару, сейчас скидка {fee} для договора {contract}. {router} [можно продать или оставить про запас|останется запасным].
c: [Хорошо|Согласны]. А мастер [настроит|всё настроит сам]?
o: @yes, это входит в цену. Будет {next} {window}, заказ {order}. {name}, [приготовьте пароль к приложению|придумайте название сети].
# Камера не подключается
c: @hi камера из вашего магазина [не находит|не видит] Wi-Fi от {router}, лампочка мигает [красным|оранжевым]. {device} в той же сети.
o: @hello Такие камеры знают только 2,4 ГГц. Название сети [общее на два диапазона|одно на оба]? Тогда [выключите 5 ГГц на минуту|сделайте отдельное название].
c: [Одно на оба|Да, одно]. Выключаю... камера [отозвалась|ответила], но время не то.
o: @so время берётся из приложения: «Настройки», «Устройство», «Часовой пояс», Киев. Потом [включайте 5 ГГц|второй диапазон можно включить].
c: [Всё работает|Пишет]. А сколько записи [хранятся|держатся] в облаке?
o: [Семь|Четырнадцать] дней за {fee} в месяц или на карте памяти без оплаты. Записано в заявке {request}, {name}.
# Открыть порты для сервера
c: @hi надо открыть порты [80 и 443|22 и 443] на {router} для [домашнего сервера|видеорегистратора], снаружи они [не отвечают|закрыты]. Договор {contract}.
o: @hello А есть ли у вас внешний адрес? @looked: стоит [общий|частный], с ним порты не открыть.
c: [Как получить внешний|Сколько стоит статический]? Чтобы [не менялся|каждый день не был другой].
o: Статический адрес — {fee} в месяц. Могу включить сейчас, сессия [перезапустится|прервётся] на минуту.
c: [Включайте|Да, прошу]. Правило на {router} готово: [на 192.168.0.10|на сервер].
o: Включено в {time}. Проверьте снаружи, [скажем, с телефона|через мобильный интернет]; заявка {request}. И, {name}, [поставьте надёжные пароли|обновляйте программы].
# Старый роутер и новый тариф
c: @hi хочу на {planNew}, а сайт пишет, что {router} [не подходит|не поддерживается]. [Это правда|Это реклама]?
o: @hello Его порты дают сто мегабит, а {planNew} требует гигабита. Работать будет, но [на десятую часть|платить будете зря].
c: [Честно|Спасибо за честность]. А [обмен есть|старый принимаете]: [можно сдать|сколько за него]?
o: Да, за любой старый роутер — скидка {fee} на новый. Тогда ASUS стоит {total}, [есть в магазине, {street}|можно забрать сегодня].
c: Приду [сегодня после {time}|{next}]. [Что взять|Паспорт нужен]?
o: Старый {router} с блоком и номер договора {contract}. У резерва номер {order}, действует [до вечера|два дня], {name}.
`
}
