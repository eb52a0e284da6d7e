// Tariffs and contracts: dialogue plans about changing, pausing, ending, discounts, signing (form: see DialoguePlan.ts).
import type { SubjectDialogues } from "../DialoguePlan.ts"

export const tariffs: SubjectDialogues = {
  en: `
# Change the tariff
c: @hi I want to go from {plan} to {planNew}. [From what day|When] is it possible and [what changes in the price|what will it cost]? Contract {contract}.
o: @hello the change is free once a month; {planNew} costs {amount} a month and starts on {next}. What was paid for {plan} [is counted over|is not lost].
c: And the [speed upwards|upload]? I [send large files|make videos], it [matters to me|is the main thing].
o: @so on {planNew} it is the same [in both directions|up and down]. Your {router} can do it, [I have checked by its model|judging by the model].
c: @ok, then change it. Do I have to [restart|sign] anything?
o: Nothing to sign: your consent here is enough. Request {request}; on {next} restart {router} [once|for a minute], {name}.
# Pause the contract
c: @hi we go away [for the summer|for three months], can contract {contract} be [paused|frozen] from {next}? [We do not want to pay for nothing|Nobody will be at home].
o: @hello @yes, up to [six|four] months a year. The pause costs {fee} a month, the line and the number are kept.
c: And the [camera|alarm] in the flat? It [needs at least something|must stay online].
o: Then there is a slow tariff for {amount}: [five megabits|ten megabits], enough for a camera. Which is [better for you|it to be]?
c: The slow one, [that calms me|I sleep better so]. When we come back, [how do I return|what do I do]?
o: Press "Back to {plan}" in the account or write here. From {next} the change is set, request {request}; [have a good summer|safe travels], {name}!
# End the contract
c: @hi I want to [end|terminate] contract {contract}. [We are moving to a place without your network|I am not satisfied with the price]. What [papers|steps] are needed?
o: @hello [I am sorry to hear that|That is a pity]. An application with thirty days' notice, the return of the terminal {serial} and no debt.
c: Thirty days? Can it be [sooner|from {deadline}]? [The flat is sold|The keys are handed over on that day].
o: For a move, yes: attach a [copy of the contract of sale|paper about the flat], and the end is {deadline}. The balance of {amount} is returned.
c: Sent to you by mail from {email}. Who [takes|collects] the terminal?
o: A courier on {next} between {window}, free. All done: the end is {deadline}, number {request}. [The door stays open|We would be glad to see you again], {name}.
# Discount promised by phone
c: @hi on {date} your girl promised me by phone [a discount of {fee} for a year|{plan} for {amount}], and the bill is [full|without it]. [Who is right|How so]?
o: @hello I am looking for the recording. The call to {phone}, about what time [was it|roughly]?
c: About {time}, she [called herself|was called] [Alina|Victoria|Kate]. I [agreed because of it|said yes only for that].
o: Found and heard: it was promised, the operator [did not save it|forgot to enter it]. The discount is on from today, and the {fee} for the past month are returned.
c: [Pleasant to be believed|Good that you record]. Will it [really last|be there] a year?
o: @yes, till the end of the year's term on contract {contract}, the bill shows it in a separate line. Request {request}, {name}.
# Discount for a pensioner
c: @hi are there discounts for [pensioners|people with disabilities|large families]? My mother has {plan} on contract {contract}, {amount} is [a lot for her|much].
o: @hello there is a social tariff: [fifty|sixty] megabits and [thirty|forty] channels for {fee} a month less. A photo of the [certificate|card] is needed.
c: Is it [valid for those who live alone|for her only]? I [live with her|live in another town], the contract is hers.
o: @so it counts by the holder of the contract, so it fits. Send the photo here; [only the name and number must be seen|the rest may be covered].
c: Sent. She [uses video calls|talks to the grandchildren by video], will [fifty|that speed] be enough?
o: Quite: a call needs [three|four] megabits. From {next} the new tariff is on, request {request}; [regards to your mother|best wishes to her], {name}.
# Contract copy needed
c: @hi I need a copy of contract {contract} with [a stamp|a signature], [for the housing office|for the court|for a subsidy]. [Can it be sent|Could I get it by mail]?
o: @hello electronic with our signature [in an hour|today], paper by post in [five|seven] days or at {street}.
c: [Electronic is enough|They take electronic ones]. To {email}. Please with all [appendices|annexes].
o: There are two: the tariff and the act of connection of {date}. Is the address {address} [right|still valid|unchanged]?
c: The address is [right|unchanged]. [They ask for the date of signing|The date of signing is important] too.
o: It is on the first page. Sent at {time}, number {request}; the signature [is checked at the state service|can be checked online], {name}.
# Tariff for a small company
c: @hi we open a [coffee shop|hairdresser's|workshop] at {address}. Which tariff for [a cash desk, music and guests|five computers]? We need a [contract for a company|invoice].
o: @hello business tariffs: from {amount}, with repair within [four|six] hours and a static address. A separate network for guests [is included|costs nothing].
c: The guests should [log in by a code|get a page with our menu]. [Can you do that|Is it possible]?
o: @yes, with our router: the page is yours, {fee} a month. We connect on {next} between {window}.
c: The opening is on {deadline}, [it must work by then|will you be in time]?
o: We will. Send the company details to this chat; the contract goes to {email} today. The order is {request}, {name}, [success with the opening|good luck].
# Fine for leaving early
c: @hi I leave before the year is over, and you want a [fine|penalty] of {total}? [Nobody told me|It was in small print]. Contract {contract}.
o: @hello it is the price of the connection that was free [on condition of a year|for a year's contract]. It falls every month, today it is {amount}.
c: I leave because [of the outages|it never worked well]: {request} and [two more|others]. [Is that my fault|Why must I pay]?
o: I see [three|four] repairs since {date}. In that case the clause about quality counts: the payment [is dropped|is not demanded].
c: [Then it is zero|So it is zero]? Please [confirm it in writing|write it to me].
o: The letter goes to {email}, the sum is zero. May I offer {planNew} with another line for [two months|a month] free, {name}, [before you decide|as a last word]?
# Connect two services together
c: @hi I have internet on {contract} and a mobile number {phone}. [Is it cheaper together|Is there a package]?
o: @hello together with {plan} the mobile tariff gets [double|twice the] gigabytes and the sum falls by {fee}. One bill, one day of payment.
c: And my [<wife's|husband's>|son's|mother's] number, can it be [added|in the same package]?
o: Up to [four|five] numbers, each next one {fee} cheaper. Tell me the last four digits and [he confirms|she confirms] by a text.
c: The ending is {last4}. The [code came|text has come], [confirmed|we answered].
o: Joined: two numbers and the internet, {amount} a month from {next}. Request {request}, {name}, [the app shows all of it|all is seen in the app].
# Sign a contract remotely
c: @hi I live [in another town|abroad], and the flat at {address} needs internet for [tenants|my parents]. Can I sign the contract [from a distance|remotely]?
o: @hello @yes: an electronic signature or [a code from a text|a bank identification]. The fitter only needs somebody [at home|to open].
c: [The tenants are there|My parents are there] after {time}. The bill should come to [me|me, not to them].
o: To {email}, the tariff {plan}, {amount} a month, is that right? The link for signing [goes there too|follows in a minute].
c: Signed. [It took two minutes|Easier than I thought]. When is [the visit|the connection]?
o: On {next} between {window}; the fitter calls {phone}. Contract {contract}, request {request}. [Welcome|Glad to have you], {name}.
`,
  uk: `
# Змінити тариф
c: @hi хочу перейти з тарифу {plan} на {planNew}. [З якого дня|Коли] можна й [що буде з ціною|скільки це коштуватиме]? Договір {contract}.
o: @hello Раз на місяць зміна безкоштовна; {planNew} коштує {amount} на місяць і почнеться {next}. Сплачене за {plan} [перерахуємо|не пропаде].
c: А [швидкість вивантаження|вихідна швидкість]? Я [надсилаю великі файли|монтую відео], це [для мене важливо|головне].
o: @so на тарифі {planNew} вона однакова [в обидва боки|туди й назад]. {router} потягне, [перевірено за моделлю|судячи з моделі].
c: @ok, тоді міняйте. [Щось підписувати|Щось перезапускати] треба?
o: Підписувати нічого: досить вашої згоди тут. Заявка {request}; {next} перезапустіть {router} [один раз|на хвилину], {name}.
# Призупинити договір
c: @hi їдемо [на все літо|на три місяці], чи можна [призупинити|заморозити] договір {contract} з {next}? [Не хочеться платити дарма|Удома нікого не буде].
o: @hello @yes, до [шести|чотирьох] місяців на рік. Пауза коштує {fee} на місяць, лінія й номер зберігаються.
c: А [камера|сигналізація] у квартирі? Їй [потрібно хоч щось|не можна без мережі].
o: Тоді є повільний тариф за {amount}: [п'ять мегабіт|десять мегабіт], для камери досить. Що [оберете|краще]?
c: Повільний, [так спокійніше|краще спатиму]. А повернемося — [як відновити|що робити]?
o: Натисніть у кабінеті «Повернути тариф» або напишіть сюди. З {next} зміну поставлено, заявка {request}; [гарного літа|щасливої дороги], {name}!
# Розірвати договір
c: @hi хочу [розірвати|закрити] договір {contract}. [Переїжджаємо туди, де вас немає|Не влаштовує ціна]. Які [документи|кроки] потрібні?
o: @hello [Шкода|Прикро це чути]. Заява за тридцять днів, повернення термінала {serial} і жодного боргу.
c: Тридцять днів? А [швидше|з {deadline}] можна? [Квартиру продано|Того дня віддаємо ключі].
o: У разі переїзду так: додайте [копію договору купівлі|папір про квартиру], і кінець — {deadline}. Залишок {amount} повернемо.
c: Надіслано вам із {email}. А термінал хто [забере|заїде]?
o: Кур'єр {next} {window}, безкоштовно. Усе оформлено: кінець {deadline}, номер {request}. [Двері відчинені|Будемо раді бачити знову], {name}.
# Обіцяли знижку телефоном
c: @hi {date} ваша працівниця обіцяла телефоном [знижку {fee} на рік|{plan} за {amount}], а рахунок [повний|без неї]. [Хто правий|Як так]?
o: @hello Шукаю запис. Дзвінок на {phone}, о котрій [це було|приблизно]?
c: Десь о {time}, [назвалася|звали її] [Аліна|Вікторія|Катя]. Я [<погодився|погодилася> через це|<сказав|сказала> «так» лише тому].
o: Запис прослухано: обіцяли, просто [не зберегли|забули внести]. Знижка діє з сьогодні, а {fee} за минулий місяць повернуто.
c: [Приємно, коли вірять|Добре, що записуєте]. Вона [справді буде|протримається] рік?
o: @yes, до кінця річного строку за договором {contract}, у рахунку це окремий рядок. Заявка {request}, {name}.
# Знижка для пенсіонерів
c: @hi чи є знижки для [пенсіонерів|людей з інвалідністю|багатодітних]? У мами {plan}, договір {contract}, {amount} для неї [забагато|чимало].
o: @hello Є соціальний тариф: [п'ятдесят|шістдесят] мегабіт і [тридцять|сорок] каналів, на {fee} дешевше щомісяця. Потрібне фото [посвідчення|довідки].
c: Він [лише для самотніх|тільки для неї]? Я [живу з нею|живу в іншому місті], договір на маму.
o: @so рахуємо за власником договору, тож підходить. Надішліть фото сюди; [видно має бути лише ім'я й номер|решту можна закрити].
c: Надіслано. Вона [дзвонить по відео|розмовляє з онуками по відео], [п'ятдесяти|такої швидкості] вистачить?
o: Цілком: на дзвінок треба [три|чотири] мегабіти. З {next} діє новий тариф, заявка {request}; [вітання мамі|мамі — найкращі побажання], {name}.
# Потрібна копія договору
c: @hi потрібна копія договору {contract} [з печаткою|з підписом], [для ОСББ|для суду|для субсидії]. [Можете надіслати|Можна поштою]?
o: @hello Електронну з підписом [за годину|сьогодні], паперову поштою за [п'ять|сім] днів або в офісі, {street}.
c: [Електронної досить|Приймають електронну]. На {email}. З усіма [додатками|доповненнями], будь ласка.
o: Їх два: тариф і акт підключення від {date}. Адреса {address} [правильна|чинна|не змінилася]?
c: Адреса [правильна|та сама]. [Питають і дату підписання|Важлива ще дата підписання].
o: Вона на першій сторінці. Надіслано о {time}, номер {request}; підпис [перевіряється на державному сайті|можна перевірити онлайн], {name}.
# Тариф для невеликої фірми
c: @hi відкриваємо [кав'ярню|перукарню|майстерню], {address}. Який тариф на [касу, музику й гостей|п'ять комп'ютерів]? Потрібні [договір на ФОП|рахунки].
o: @hello Бізнес-тарифи від {amount}, ремонт за [чотири|шість] годин і статична адреса. Окрема мережа для гостей [входить|безкоштовна].
c: Щоб гості [входили за кодом|бачили сторінку з меню]. [Зробите|Це можливо]?
o: @yes, з нашим роутером: сторінка ваша, {fee} на місяць. Підключимо {next} {window}.
c: Відкриття {deadline}, [до того має працювати|встигнете]?
o: Встигнемо. Надішліть реквізити в чат; договір піде на {email} сьогодні. Заявка {request}, {name}, [вдалого відкриття|успіху].
# Штраф за дострокове розірвання
c: @hi іду раніше ніж за рік, і ви хочете [штраф|неустойку] {total}? [Ніхто не казав|Це було дрібними літерами]. Договір {contract}.
o: @hello Це вартість підключення, що була безкоштовна [за умови року|за договором на рік]. Щомісяця вона менша, сьогодні {amount}.
c: Іду[ через аварії|, бо ніколи нормально не працювало]: {request} і [ще дві|інші]. [Хіба це моя вина|Чому я маю платити]?
o: Бачу [три|чотири] ремонти з {date}. У такому разі діє пункт про якість: платіж [скасовано|не вимагаємо].
c: [Виходить, нуль|Тобто нуль]? [Підтвердьте письмово|Напишіть це, будь ласка].
o: Лист піде на {email}, сума нуль. Чи можна запропонувати {planNew} іншою лінією, [два місяці|місяць] безкоштовно, {name}, [перш ніж вирішите|наостанок]?
# Дві послуги разом
c: @hi маю інтернет за {contract} і мобільний {phone}. [Разом дешевше|Є пакет]?
o: @hello Разом із тарифом {plan} мобільний отримує [подвійні гігабайти|удвічі більше гігабайтів], і сума менша на {fee}. Один рахунок, один день оплати.
c: А номер [<дружини|чоловіка>|сина|мами] можна [додати|в той самий пакет]?
o: До [чотирьох|п'яти] номерів, кожен наступний дешевший на {fee}. Скажіть останні чотири цифри, туди прийде СМС на [підтвердження|згоду].
c: Закінчується на {last4}. [Код прийшов|СМС є], [підтверджено|згоду дали].
o: Об'єднано: два номери й інтернет, {amount} на місяць з {next}. Заявка {request}, {name}, [усе видно в застосунку|стежте в застосунку].
# Підписати договір віддалено
c: @hi живу [в іншому місті|за кордоном], а у квартирі за адресою {address} потрібен інтернет для [орендарів|батьків]. Чи можна підписати договір [здалеку|віддалено]?
o: @hello @yes: електронним підписом або [кодом із СМС|через BankID]. Майстрові треба лише, щоб хтось [був удома|відчинив].
c: [Орендарі є|Батьки вдома] після {time}. А рахунок хай іде [мені|мені, не їм].
o: На {email}, тариф {plan}, {amount} на місяць, так? Посилання на підпис [піде туди ж|прийде за хвилину].
c: Підписано. [Дві хвилини|Простіше, ніж здавалося]. Коли [візит|підключення]?
o: {next}, {window}; майстер зателефонує на {phone}. Договір {contract}, заявка {request}. [Вітаємо серед своїх|Раді вам], {name}.
`,
  ru: `
# Сменить тариф
c: @hi хочу перейти с тарифа {plan} на {planNew}. [С какого дня|Когда] можно и [что будет с ценой|сколько это будет стоить]? Договор {contract}.
o: @hello Раз в месяц смена бесплатная; {planNew} стоит {amount} в месяц и начнётся {next}. Оплаченное за {plan} [пересчитаем|не пропадёт].
c: А [скорость выгрузки|исходящая скорость]? Я [отправляю большие файлы|монтирую видео], это [для меня важно|главное].
o: @so на тарифе {planNew} она одинакова [в обе стороны|туда и обратно]. {router} потянет, [проверено по модели|судя по модели].
c: @ok, тогда меняйте. [Что-то подписывать|Что-то перезапускать] надо?
o: Подписывать нечего: достаточно вашего согласия здесь. Заявка {request}; {next} перезапустите {router} [один раз|на минуту], {name}.
# Приостановить договор
c: @hi уезжаем [на всё лето|на три месяца], можно ли [приостановить|заморозить] договор {contract} с {next}? [Не хочется платить зря|Дома никого не будет].
o: @hello @yes, до [шести|четырёх] месяцев в год. Пауза стоит {fee} в месяц, линия и номер сохраняются.
c: А [камера|сигнализация] в квартире? Ей [нужно хоть что-то|нельзя без сети].
o: Тогда есть медленный тариф за {amount}: [пять мегабит|десять мегабит], для камеры хватит. Что [выберете|лучше]?
c: Медленный, [так спокойнее|буду лучше спать]. А вернёмся — [как возобновить|что делать]?
o: Нажмите в кабинете «Вернуть тариф» или напишите сюда. С {next} изменение поставлено, заявка {request}; [хорошего лета|счастливой дороги], {name}!
# Расторгнуть договор
c: @hi хочу [расторгнуть|закрыть] договор {contract}. [Переезжаем туда, где вас нет|Не устраивает цена]. Какие [документы|шаги] нужны?
o: @hello [Жаль|Грустно это слышать]. Заявление за тридцать дней, возврат терминала {serial} и никаких долгов.
c: Тридцать дней? А [быстрее|с {deadline}] можно? [Квартира продана|В тот день отдаём ключи].
o: При переезде да: приложите [копию договора купли|бумагу о квартире], и конец — {deadline}. Остаток {amount} вернём.
c: Отправлено вам с {email}. А за терминалом кто [приедет|заедет]?
o: Курьер {next} {window}, бесплатно. Всё оформлено: конец {deadline}, номер {request}. [Двери открыты|Будем рады видеть снова], {name}.
# Обещали скидку по телефону
c: @hi {date} ваша сотрудница обещала по телефону [скидку {fee} на год|{plan} за {amount}], а счёт [полный|без неё]. [Кто прав|Как так]?
o: @hello Ищу запись. Звонок на {phone}, в котором часу [это было|примерно]?
c: Где-то в {time}, [назвалась|звали её] [Алина|Виктория|Катя]. Я [<согласился|согласилась> из-за этого|<сказал|сказала> «да» только поэтому].
o: Запись прослушана: обещали, просто [не сохранили|забыли внести]. Скидка действует с сегодня, а {fee} за прошлый месяц вернули.
c: [Приятно, когда верят|Хорошо, что записываете]. Она [правда будет|продержится] год?
o: @yes, до конца годового срока по договору {contract}, в счёте это отдельная строка. Заявка {request}, {name}.
# Скидка для пенсионеров
c: @hi есть ли скидки для [пенсионеров|людей с инвалидностью|многодетных]? У мамы {plan}, договор {contract}, {amount} для неё [много|многовато].
o: @hello Есть социальный тариф: [пятьдесят|шестьдесят] мегабит и [тридцать|сорок] каналов, на {fee} дешевле каждый месяц. Нужно фото [удостоверения|справки].
c: Он [только для одиноких|только для неё]? Я [живу с ней|живу в другом городе], договор на маму.
o: @so считаем по владельцу договора, так что подходит. Пришлите фото сюда; [видны должны быть только имя и номер|остальное можно закрыть].
c: Отправлено. Она [звонит по видео|говорит с внуками по видео], [пятидесяти|такой скорости] хватит?
o: Вполне: на звонок нужно [три|четыре] мегабита. С {next} действует новый тариф, заявка {request}; [привет маме|маме — наилучшие пожелания], {name}.
# Нужна копия договора
c: @hi нужна копия договора {contract} [с печатью|с подписью], [для ОСМД|для суда|для субсидии]. [Можете прислать|Можно почтой]?
o: @hello Электронную с подписью [через час|сегодня], бумажную почтой за [пять|семь] дней или в офисе, {street}.
c: [Электронной достаточно|Принимают электронную]. На {email}. Со всеми [приложениями|дополнениями], пожалуйста.
o: Их два: тариф и акт подключения от {date}. Адрес {address} [верный|действителен|не изменился]?
c: Адрес [верный|тот же]. [Спрашивают и дату подписания|Важна ещё дата подписания].
o: Она на первой странице. Отправлено в {time}, номер {request}; подпись [проверяется на государственном сайте|можно проверить онлайн], {name}.
# Тариф для небольшой фирмы
c: @hi открываем [кофейню|парикмахерскую|мастерскую], {address}. Какой тариф на [кассу, музыку и гостей|пять компьютеров]? Нужны [договор на ФЛП|счета].
o: @hello Бизнес-тарифы от {amount}, ремонт за [четыре|шесть] часов и статический адрес. Отдельная сеть для гостей [входит|бесплатная].
c: Чтобы гости [входили по коду|видели страницу с меню]. [Сделаете|Это возможно]?
o: @yes, с нашим роутером: страница ваша, {fee} в месяц. Подключим {next} {window}.
c: Открытие {deadline}, [к этому должно работать|успеете]?
o: Успеем. Пришлите реквизиты в чат; договор уйдёт на {email} сегодня. Заявка {request}, {name}, [удачного открытия|успехов].
# Штраф за досрочное расторжение
c: @hi ухожу раньше чем через год, и вы хотите [штраф|неустойку] {total}? [Никто не говорил|Это было мелкими буквами]. Договор {contract}.
o: @hello Это стоимость подключения, которое было бесплатным [при условии года|по договору на год]. Каждый месяц она меньше, сегодня {amount}.
c: Ухожу[ из-за аварий|, потому что никогда нормально не работало]: {request} и [ещё две|другие]. [Разве это моя вина|Почему мне платить]?
o: Вижу [три|четыре] ремонта с {date}. В таком случае действует пункт о качестве: платёж [отменён|не требуем].
c: [Выходит, ноль|То есть ноль]? [Подтвердите письменно|Напишите это, пожалуйста].
o: Письмо уйдёт на {email}, сумма ноль. Можно ли предложить {planNew} по другой линии, [два месяца|месяц] бесплатно, {name}, [прежде чем решите|напоследок]?
# Две услуги вместе
c: @hi у меня интернет по {contract} и мобильный {phone}. [Вместе дешевле|Есть пакет]?
o: @hello Вместе с тарифом {plan} мобильный получает [двойные гигабайты|вдвое больше гигабайт], и сумма меньше на {fee}. Один счёт, один день оплаты.
c: А номер [<жены|мужа>|сына|мамы] можно [добавить|в тот же пакет]?
o: До [четырёх|пяти] номеров, каждый следующий дешевле на {fee}. Назовите последние четыре цифры, туда придёт СМС на [подтверждение|согласие].
c: Заканчивается на {last4}. [Код пришёл|СМС есть], [подтвердили|согласие дали].
o: Объединили: два номера и интернет, {amount} в месяц с {next}. Заявка {request}, {name}, [всё видно в приложении|следите в приложении].
# Подписать договор удалённо
c: @hi живу [в другом городе|за границей], а в квартире по адресу {address} нужен интернет для [арендаторов|родителей]. Можно ли подписать договор [издалека|удалённо]?
o: @hello @yes: электронной подписью или [кодом из СМС|через BankID]. Мастеру нужно только, чтобы кто-то [был дома|открыл].
c: [Арендаторы есть|Родители дома] после {time}. А счёт пусть идёт [мне|мне, не им].
o: На {email}, тариф {plan}, {amount} в месяц, так? Ссылка на подпись [уйдёт туда же|придёт через минуту].
c: Подписано. [Две минуты|Проще, чем казалось]. Когда [визит|подключение]?
o: {next}, {window}; мастер позвонит на {phone}. Договор {contract}, заявка {request}. [Приветствуем среди своих|Рады вам], {name}.
`
}
