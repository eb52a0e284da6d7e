// Mobile: dialogue plans about SIM cards, number transfer, roaming, traffic and calls (form: see DialoguePlan.ts).
import type { SubjectDialogues } from "../DialoguePlan.ts"

export const mobile: SubjectDialogues = {
  en: `
# Keep my number when switching
c: @hi I want to [switch to you|come over to you] from another operator and keep the number {phone}. [How does it work|What do I have to do]?
o: @hello take a temporary SIM in our shop at {street}, then send the word [MOVE|PORT] from the old one. The transfer takes [one working day|up to three days].
c: And the money on the old number, about {fee}, [is it lost|does it come along]? [Will calls work meanwhile|Am I reachable all the time]?
o: The balance stays with the old operator, so [spend it first|use it up]. You are offline for [half an hour at most|a few minutes at night]. The request is {request}.
c: @ok, I have the SIM, its number ends in {last4}. [Start|Please start] the transfer.
o: Started: {phone} moves to {mobilePlan} on {next}. You get [a text|a message] when it is done, {name}.
# Mobile internet is slow
c: @hi mobile internet {cityIn} is [unbearable|awful] since {date}: {speed} megabits in the morning and [nothing at all|almost zero] after {time}.
o: @hello [at which address mostly|where exactly], and does the phone show [4G or H|LTE or 3G] in the corner? The model matters too.
c: {handset}, mostly at {address}. It shows [4G with two bars|LTE, one bar]. [Outside it is better|On the balcony it works].
o: Your flat is in the shadow of a new house. A [repeater|second transmitter] on {street} goes on air on {next}; till then please switch on [calls over Wi-Fi|VoWiFi].
c: [Switched on|It is on now], calls work. But I pay for [internet I cannot use|traffic I cannot spend].
o: Fair: I have given {fee} back on {phone} and left ten gigabytes [as a present|for the next month], request {request}.
# Roaming before a trip
c: @hi on {next} I fly to [Poland|Germany|Türkiye] for two weeks. [Which package do I need|What about roaming], number {phone}?
o: @hello for two weeks there is a package of [ten|fifteen] gigabytes and a hundred minutes for {amount}. Without it a megabyte costs {fee}.
c: Will it [start by itself|switch on at the border], and [can I share it with a laptop|does tethering work]?
o: @so it starts with the first megabyte abroad; tethering [works|is allowed]. [Please switch on|Do not forget] data roaming in the phone settings.
c: @ok, connect it. And if I [run out|use everything up]?
o: Connected to {phone}, request {request}. At eighty percent [a text comes|we warn you], and a second package may be bought in the app.
# Lost phone, block the SIM
c: @hi [urgent|help], I have lost my phone {handset} [in a taxi|on the train], number {phone}. Please [block the SIM|block the card] at once!
o: @hello [do not worry|one moment]. To be sure that it is you: the last numbers you called, or the [date of the last top-up|sum of the last payment]?
c: The last top-up was {amount} on {date}. I mostly call [my mother|<my wife|my husband>|the office].
o: It matches. The SIM of {phone} is blocked since {time}, nobody can [call or receive codes|use it]. Change the passwords of [your banks|mail and banks] too.
c: [Done|I am doing it now]. How do I get [the number back|a new card]?
o: With a passport in any shop, the nearest one is at {street}, or as an eSIM [right now|within an hour] to {email}. The new card costs {fee}, request {request}.
# Charged for paid subscriptions
c: @hi my balance loses {fee} [every day|daily] on {phone}. [I call nobody|I use only the internet]. Where does it go?
o: @hello @looked: on {date} the service ["Horoscope"|"Jokes of the day"|"Weather plus"] was subscribed [from a web page|after a click on a banner].
c: I [did not subscribe|only closed the banner]. [Give the money back|I want a refund], {amount} has gone.
o: @sorry. The service is off and {amount} is back on the balance of {phone}. I have also [forbidden all paid subscriptions|set a ban on content services].
c: @thx. [Can my daughter's number|Can my mother's number] get such a ban too?
o: @yes, if it is on the same contract {contract}: [send star one two seven hash|write me the number]. It is free, request {request}.
# eSIM does not activate
c: @hi I scanned the QR code of the eSIM on {handset}, and it says [activation failed|cannot add the plan]. [Tried three times|I have restarted the phone].
o: @hello the code works once. Is the profile [listed in the settings|visible among the SIM cards], perhaps without a name?
c: There is [an empty line|a line "no service"], [I deleted it|should I delete it]?
o: Please delete it, then the code is used up. A new one goes to {email}; scan it over [Wi-Fi|a stable Wi-Fi] and wait [two minutes|until the bars appear].
c: [The bars are there|It says {company} now]! Does my number {phone} [work at once|receive calls already]?
o: @yes, and the plastic card is off now. Keep the code out of [photo clouds|chats], {name}; request {request} is closed.
# Cannot make calls, texts work
c: @hi since {time} I [cannot call anybody|get a busy tone at every call], incoming and texts work. Number {phone}.
o: @hello the balance is fine. Did you [switch on barring|change the call settings] or put the SIM into [another phone|{handset}] lately?
c: Yes, into {handset} [yesterday|on {later}]. [Is it not supported|What has that to do with it]?
o: @so that model needs [VoLTE|voice over 4G], as there is no 3G {cityIn} any more. Settings, mobile network, switch "4G calls" on.
c: [It is on|Found and switched on]. I am calling... [there is a ring|it works]!
o: Very well. If [the switch goes off by itself|it returns after an update], text us from {phone} with number {request}.
# Second SIM for a child
c: @hi I need a card for my [son|daughter], [first grade|eight years old]: calls home, [no surprises in the bill|no paid games]. Contract {contract}.
o: @hello for children there is a tariff at {fee} a month: [unlimited calls to three numbers|calls within the family free] and a filter for sites.
c: And can I see [where the child is|the location]? [Does it work with {handset}?|The watch takes a SIM as well.]
o: @yes, in the app with the consent of both parents; it works in watches too. Shall the card be [delivered|sent] to {address}?
c: Yes, [on {next}|best on {next}] between {window}. [Can the bill be common?|One bill, please.]
o: One bill on {contract}, order {order}. In the box there is [a sticker with the number|a card with our phone], {name}.
# Number on the spam list
c: @hi [everybody sees|people see] "spam" when I call from {phone}. I am a [doctor|courier|teacher], [nobody picks up|people drop the call].
o: @hello that mark is set by the apps on others' phones. Was the number [yours from the start|bought recently]? Old owners [leave a trail|spoil it sometimes].
c: I bought it on {date}. [I do not want to change it|All my clients know it by now].
o: I understand. I send appeals to the [three main caller-ID services|services that keep these lists]; it takes about a week, till {deadline}, request {request}.
c: And if they [refuse|do not answer]?
o: Then we [change the number free of charge|give another number] and a text with the new one goes to those you call most. {name}, we will write to {email}.
# Top-up went to another number
c: @hi I topped up {amount} and [mistyped one digit|confused two digits]: it went to a stranger instead of {phone}. [Can it be returned?|Please help.]
o: @hello if the stranger has not spent it, we can. Send [the receipt|a photo of the receipt] and the wrong number, [the last four digits are enough|at least its ending].
c: The receipt is {payment}, time {time}, the ending is {last4}. [That was ten minutes ago|It was on {later}].
o: @looked: the money is [untouched|still there]. The transfer to {phone} takes [an hour|until the evening], the fee is {fee}.
c: [Agreed|Fine], take it from the balance. [Next time I look twice|I will save my number as a template].
o: Done, {name}: {amount} minus the fee is on {phone}. In the app your own number [is filled in by itself|needs no typing].
`,
  uk: `
# Перейти зі своїм номером
c: @hi хочу [перейти до вас|змінити оператора] й зберегти номер {phone}. [Як це зробити|Що для цього потрібно]?
o: @hello Візьміть тимчасову картку в магазині, {street}, і надішліть зі старої слово [«ПЕРЕХІД»|«НОМЕР»]. Перенесення триває [один робочий день|до трьох днів].
c: А гроші на старому номері, десь {fee}, [згорять|перейдуть]? [Дзвінки працюватимуть|Зі мною буде зв'язок]?
o: Залишок лишається в попереднього оператора, тож [витратьте його|спершу використайте]. Без зв'язку будете [щонайбільше пів години|кілька хвилин уночі]. Заявка {request}.
c: @ok, картка є, її номер закінчується на {last4}. [Починайте|Запускайте] перенесення.
o: Почали: {phone} переходить на {mobilePlan} {next}. Коли завершимо, прийде [СМС|повідомлення], {name}.
# Повільний мобільний інтернет
c: @hi мобільний інтернет {cityIn} з {date} [нестерпний|жахливий]: зранку {speed} мегабіт, а після {time} [узагалі нічого|майже нуль].
o: @hello [За якою адресою найчастіше|Де саме], і що в кутку екрана, [4G чи H|LTE чи 3G]? Важлива й модель телефона.
c: {handset}, здебільшого {address}. Показує [4G, дві поділки|LTE, одна поділка]. [Надворі краще|На балконі працює].
o: Вашу квартиру затулив новий будинок. [Ретранслятор|Другий передавач], {street}, запрацює {next}; доти ввімкніть [дзвінки через Wi-Fi|VoWiFi].
c: [Увімкнено|Уже стоїть], дзвінки є. Але плачу за [інтернет, якого немає|трафік, якого не витратити].
o: Слушно: {fee} повернуто на {phone}, ще десять гігабайтів [у подарунок|на наступний місяць], заявка {request}.
# Роумінг перед поїздкою
c: @hi {next} лечу до [Польщі|Німеччини|Туреччини] на два тижні. [Який пакет потрібен|Що з роумінгом], номер {phone}?
o: @hello На два тижні є пакет: [десять|п'ятнадцять] гігабайтів і сто хвилин за {amount}. Без нього мегабайт коштує {fee}.
c: Він [запуститься сам|увімкнеться на кордоні]? І чи [можна роздати на ноутбук|працює роздача]?
o: @so почне діяти з першого мегабайта за кордоном; роздача [працює|дозволена]. [Увімкніть|Не забудьте ввімкнути] передавання даних у роумінгу.
c: @ok, підключайте. А якщо [скінчиться|не вистачить]?
o: Підключено до {phone}, заявка {request}. На вісімдесяти відсотках [прийде СМС|попередимо], другий пакет можна взяти в застосунку.
# Загублений телефон, блокування
c: @hi [терміново|допоможіть]: телефон {handset} [лишився в таксі|зник у потязі], номер {phone}. [Заблокуйте картку|Заблокуйте SIM], будь ласка!
o: @hello [Не хвилюйтеся|Хвилинку]. Щоб переконатися, що це ви: кому дзвонили востаннє, або [дата останнього поповнення|сума останньої оплати]?
c: Останнє поповнення {amount}, {date}. Найчастіше дзвоню [мамі|<дружині|чоловікові>|на роботу|братові].
o: Збігається. Картку {phone} заблоковано о {time}, нею ніхто не [зателефонує й кодів не отримає|скористається]. Змініть паролі [банків|пошти й банків].
c: [Уже змінюю|Зроблено]. Як [повернути номер|отримати нову картку]?
o: З паспортом у будь-якому магазині, найближчий — {street}, або eSIM [просто зараз|за годину] на {email}. Нова картка коштує {fee}, заявка {request}.
# Списують за платні підписки
c: @hi з {phone} [щодня|кожного дня] зникає {fee}. [Нікому не дзвоню|Користуюся лише інтернетом]. Куди вони йдуть?
o: @hello @looked: {date} підключено послугу [«Гороскоп»|«Жарт дня»|«Погода плюс»] [зі сторінки в інтернеті|після натискання на банер].
c: Я [нічого не <підключав|підключала>|лише <закрив|закрила> банер]. [Поверніть гроші|Хочу повернення], зникло {amount}.
o: @sorry. Послугу вимкнено, {amount} повернуто на {phone}. Також [заборонено всі платні підписки|стоїть заборона контент-послуг].
c: @thx. А для [доньчиного номера|маминого номера] таку заборону можна?
o: @yes, якщо він на тому ж договорі {contract}: [наберіть зірочка один два сім решітка|напишіть мені номер]. Це безкоштовно, заявка {request}.
# Не активується eSIM
c: @hi <зісканував|зісканувала> QR-код eSIM на {handset}, пише [«активація не вдалася»|«не вдається додати план»]. [Уже тричі|Телефон перезавантажено].
o: @hello Код одноразовий. Чи є профіль [у налаштуваннях|серед SIM-карток], може, без назви?
c: Є [порожній рядок|рядок «немає мережі»], [видалити його|його прибрати]?
o: Так, видаліть, той код уже використано. Новий піде на {email}; скануйте через [Wi-Fi|стабільний Wi-Fi] і зачекайте [дві хвилини|доки з'являться поділки].
c: [Поділки є|Пише {company}]! А номер {phone} [уже працює|вже приймає дзвінки]?
o: @yes, пластикова картка вже неактивна. Не тримайте код у [хмарних фото|чатах], {name}; заявку {request} закрито.
# Не можу дзвонити, СМС працюють
c: @hi з {time} [не можу нікому подзвонити|на кожен дзвінок «зайнято»], вхідні та СМС є. Номер {phone}.
o: @hello Баланс у порядку. Чи не [вмикали заборону|міняли налаштування дзвінків] і чи не ставили картку в [інший телефон|{handset}]?
c: Так, у {handset}, [учора|{later}]. [Він не підходить|А до чого тут це]?
o: @so цій моделі потрібен [VoLTE|голос через 4G], бо 3G {cityIn} вже немає. Налаштування, мобільна мережа, увімкніть «Дзвінки 4G».
c: [Увімкнено|Є, знайшлося]. Дзвоню... [гудки пішли|працює]!
o: От і добре. Якщо [перемикач вимкнеться сам|повернеться після оновлення], напишіть з {phone}, номер звернення {request}.
# Картка для дитини
c: @hi потрібна картка для [сина|доньки], [перший клас|вісім років]: дзвонити додому, [без сюрпризів у рахунку|без платних ігор]. Договір {contract}.
o: @hello Є дитячий тариф за {fee} на місяць: [безліміт на три номери|дзвінки в родині безкоштовні] й фільтр сайтів.
c: А чи видно, [де дитина|місце на мапі]? [Чи працює з {handset}?|Годинник теж має SIM.]
o: @yes, у застосунку за згодою обох батьків; працює й у годинниках. Картку [привезти|доставити] за адресою {address}?
c: Так, {next}, {window}. [Рахунок хай буде спільний|Один рахунок, будь ласка].
o: Один рахунок за {contract}, замовлення {order}. У коробці буде [наліпка з номером|картка з нашим телефоном], {name}.
# Номер позначено як спам
c: @hi коли дзвоню з {phone}, [усі бачать|люди бачать] «спам». Я [лікую людей|вожу посилки|викладаю], а [слухавку не беруть|дзвінки скидають].
o: @hello Позначку ставлять застосунки в чужих телефонах. Номер [ваш від початку|придбаний недавно]? Колишні власники [лишають слід|іноді псують історію].
c: <Купив|Купила> його {date}. [Міняти не хочу|Його вже знають усі клієнти].
o: Розумію. Надішлемо скарги до [трьох головних сервісів|сервісів, що ведуть ці списки]; це десь тиждень, до {deadline}, заявка {request}.
c: А якщо [відмовлять|не відповідять]?
o: Тоді [безкоштовно замінимо номер|дамо інший номер], а тим, кому дзвоните найчастіше, піде СМС. {name}, напишемо на {email}.
# Поповнення пішло на чужий номер
c: @hi <поповнив|поповнила> на {amount} і [<помилився|помилилася> в цифрі|<переплутав|переплутала> дві цифри]: пішло чужій людині замість {phone}. [Можна повернути?|Допоможіть.]
o: @hello Якщо ще не витрачено, можна. Надішліть [квитанцію|фото квитанції] й чужий номер, [досить останніх чотирьох цифр|хоча б закінчення].
c: Квитанція {payment}, час {time}, закінчується на {last4}. [Це було десять хвилин тому|Це було {later}].
o: @looked: гроші [на місці|ще не витрачено]. Переказ на {phone} триватиме [годину|до вечора], комісія {fee}.
c: [Згода|Гаразд], зніміть з балансу. [Наступного разу гляну двічі|Збережу свій номер у шаблоні].
o: Готово, {name}: {amount} мінус комісія вже на {phone}. У застосунку свій номер [підставляється сам|вводити не треба].
`,
  ru: `
# Перейти со своим номером
c: @hi хочу [перейти к вам|сменить оператора] и сохранить номер {phone}. [Как это сделать|Что для этого нужно]?
o: @hello Возьмите временную карту в магазине, {street}, и отправьте со старой слово [«ПЕРЕХОД»|«НОМЕР»]. Перенос длится [один рабочий день|до трёх дней].
c: А деньги на старом номере, где-то {fee}, [сгорят|перейдут]? [Звонки будут работать|Я буду на связи]?
o: Остаток остаётся у прежнего оператора, так что [потратьте его|сначала используйте]. Без связи будете [самое большее полчаса|пару минут ночью]. Заявка {request}.
c: @ok, карта есть, её номер заканчивается на {last4}. [Начинайте|Запускайте] перенос.
o: Начали: {phone} переходит на {mobilePlan} {next}. Когда закончим, придёт [СМС|сообщение], {name}.
# Медленный мобильный интернет
c: @hi мобильный интернет {cityIn} с {date} [невыносимый|ужасный]: с утра {speed} мегабит, а после {time} [вообще ничего|почти ноль].
o: @hello [По какому адресу чаще всего|Где именно], и что в углу экрана, [4G или H|LTE или 3G]? Важна и модель телефона.
c: {handset}, в основном {address}. Показывает [4G, два деления|LTE, одно деление]. [На улице лучше|На балконе работает].
o: Вашу квартиру закрыл новый дом. [Ретранслятор|Второй передатчик], {street}, заработает {next}; до этого включите [звонки через Wi-Fi|VoWiFi].
c: [Включили|Уже стоит], звонки есть. Но плачу за [интернет, которого нет|трафик, который не потратить].
o: Справедливо: {fee} вернули на {phone}, ещё десять гигабайт [в подарок|на следующий месяц], заявка {request}.
# Роуминг перед поездкой
c: @hi {next} лечу в [Польшу|Германию|Турцию] на две недели. [Какой пакет нужен|Что с роумингом], номер {phone}?
o: @hello На две недели есть пакет: [десять|пятнадцать] гигабайт и сто минут за {amount}. Без него мегабайт стоит {fee}.
c: Он [запустится сам|включится на границе]? И [можно раздать на ноутбук|работает раздача]?
o: @so начнёт действовать с первого мегабайта за границей; раздача [работает|разрешена]. [Включите|Не забудьте включить] передачу данных в роуминге.
c: @ok, подключайте. А если [кончится|не хватит]?
o: Подключено к {phone}, заявка {request}. На восьмидесяти процентах [придёт СМС|предупредим], второй пакет можно взять в приложении.
# Потерян телефон, блокировка
c: @hi [срочно|помогите]: телефон {handset} [остался в такси|пропал в поезде], номер {phone}. [Заблокируйте карту|Заблокируйте SIM], пожалуйста!
o: @hello [Не волнуйтесь|Минутку]. Чтобы убедиться, что это вы: кому звонили в последний раз, или [дата последнего пополнения|сумма последней оплаты]?
c: Последнее пополнение {amount}, {date}. Чаще всего звоню [маме|<жене|мужу>|на работу|брату].
o: Совпадает. Карта {phone} заблокирована в {time}, с неё никто не [позвонит и кодов не получит|сделает ни звонка]. Смените пароли [банков|почты и банков].
c: [Уже меняю|Сделано]. Как [вернуть номер|получить новую карту]?
o: С паспортом в любом магазине, ближайший — {street}, или eSIM [прямо сейчас|за час] на {email}. Новая карта стоит {fee}, заявка {request}.
# Списывают за платные подписки
c: @hi с {phone} [ежедневно|каждый день] уходит {fee}. [Никому не звоню|Пользуюсь только интернетом]. Куда они деваются?
o: @hello @looked: {date} подключена услуга [«Гороскоп»|«Шутка дня»|«Погода плюс»] [со страницы в интернете|после нажатия на баннер].
c: Я [ничего не <подключал|подключала>|только <закрыл|закрыла> баннер]. [Верните деньги|Хочу возврат], ушло {amount}.
o: @sorry. Услуга отключена, {amount} вернули на {phone}. Ещё [запрещены все платные подписки|стоит запрет контент-услуг].
c: @thx. А для [номера дочери|маминого номера] такой запрет можно?
o: @yes, если он на том же договоре {contract}: [наберите звёздочка один два семь решётка|напишите мне номер]. Это бесплатно, заявка {request}.
# Не активируется eSIM
c: @hi <отсканировал|отсканировала> QR-код eSIM на {handset}, пишет [«активация не удалась»|«не удаётся добавить план»]. [Уже трижды|Телефон перезагружен].
o: @hello Код одноразовый. Есть ли профиль [в настройках|среди SIM-карт], может, без названия?
c: Есть [пустая строка|строка «нет сети»], [удалить её|её убрать]?
o: Да, удалите, тот код уже использован. Новый уйдёт на {email}; сканируйте через [Wi-Fi|стабильный Wi-Fi] и подождите [две минуты|пока появятся деления].
c: [Деления есть|Пишет {company}]! А номер {phone} [уже работает|уже принимает звонки]?
o: @yes, пластиковая карта уже неактивна. Не храните код в [облачных фото|чатах], {name}; заявка {request} закрыта.
# Не могу звонить, СМС работают
c: @hi с {time} [не могу никому позвонить|на каждый звонок «занято»], входящие и СМС есть. Номер {phone}.
o: @hello Баланс в порядке. Не [включали запрет|меняли настройки звонков] и не ставили карту в [другой телефон|{handset}]?
c: Да, в {handset}, [вчера|{later}]. [Он не подходит|А при чём тут это]?
o: @so этой модели нужен [VoLTE|голос через 4G], потому что 3G {cityIn} уже нет. Настройки, мобильная сеть, включите «Звонки 4G».
c: [Включили|Есть, нашлось]. Звоню... [гудки пошли|работает]!
o: Вот и хорошо. Если [переключатель выключится сам|вернётся после обновления], напишите с {phone}, номер обращения {request}.
# Карта для ребёнка
c: @hi нужна карта для [сына|дочки], [первый класс|восемь лет]: звонить домой, [без сюрпризов в счёте|без платных игр]. Договор {contract}.
o: @hello Есть детский тариф за {fee} в месяц: [безлимит на три номера|звонки в семье бесплатные] и фильтр сайтов.
c: А видно ли, [где ребёнок|место на карте]? [Работает ли с {handset}?|В часах тоже есть SIM.]
o: @yes, в приложении с согласия обоих родителей; работает и в часах. Карту [привезти|доставить] по адресу {address}?
c: Да, {next}, {window}. [Счёт пусть будет общий|Один счёт, пожалуйста].
o: Один счёт по {contract}, заказ {order}. В коробке будет [наклейка с номером|карточка с нашим телефоном], {name}.
# Номер помечен как спам
c: @hi когда звоню с {phone}, [все видят|люди видят] «спам». Я [лечу людей|развожу посылки|преподаю], а [трубку не берут|звонки сбрасывают].
o: @hello Пометку ставят приложения в чужих телефонах. Номер [ваш с самого начала|куплен недавно]? Прежние владельцы [оставляют след|иногда портят историю].
c: <Купил|Купила> его {date}. [Менять не хочу|Его уже знают все клиенты].
o: Понимаю. Отправим жалобы в [три главных сервиса|сервисы, которые ведут эти списки]; это примерно неделя, до {deadline}, заявка {request}.
c: А если [откажут|не ответят]?
o: Тогда [бесплатно заменим номер|дадим другой номер], а тем, кому звоните чаще всего, уйдёт СМС. {name}, напишем на {email}.
# Пополнение ушло на чужой номер
c: @hi <пополнил|пополнила> на {amount} и [<ошибся|ошиблась> в цифре|<перепутал|перепутала> две цифры]: ушло чужому человеку вместо {phone}. [Можно вернуть?|Помогите.]
o: @hello Если ещё не потрачено, можно. Пришлите [квитанцию|фото квитанции] и чужой номер, [достаточно последних четырёх цифр|хотя бы окончание].
c: Квитанция {payment}, время {time}, заканчивается на {last4}. [Это было десять минут назад|Это было {later}].
o: @looked: деньги [на месте|ещё не потрачены]. Перевод на {phone} займёт [час|время до вечера], комиссия {fee}.
c: [<Согласен|Согласна>|Хорошо], снимите с баланса. [В следующий раз гляну дважды|Сохраню свой номер в шаблоне].
o: Готово, {name}: {amount} минус комиссия уже на {phone}. В приложении свой номер [подставляется сам|вводить не надо].
`
}
