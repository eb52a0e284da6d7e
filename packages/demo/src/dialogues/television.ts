// Television: dialogue plans about channels, the set-top box, the app, recordings and picture (form: see DialoguePlan.ts).
import type { SubjectDialogues } from "../DialoguePlan.ts"

export const television: SubjectDialogues = {
  en: `
# A channel has disappeared
c: @hi the channel {tv} has [disappeared|gone] from the list since {date}. [We watch it every evening|My parents watch only that]. Contract {contract}.
o: @hello {tv} [moved to another number|changed its place] on {date}: please update the channel list, Settings, Channels, Update.
c: Updated, [still not there|nothing new]. The box shows [number eighteen as empty|a black screen in its place].
o: Then it is about the package: {tv} went over to the [extended one|package "Optimal"]. I can [add it|switch it on] for {fee} a month, the first month free.
c: [Not nice, but all right|Well, switch it on]. Will the other channels [stay|not disappear too]?
o: All the others stay. {tv} is on since {time}; [restart the box|switch the box off and on], {name}, and it stands on its old number.
# Box freezes on start
c: @hi the set-top box [hangs on the logo|does not start beyond the logo], serial number {serial}. [Unplugging does not help|I have unplugged it three times].
o: @hello hold the button on the bottom for [ten|fifteen] seconds while plugging it in, [the light must turn orange|until the light changes].
c: It is orange and [writes "recovery"|shows a menu], what [do I choose|next]?
o: Choose "Restore firmware", it takes [seven|ten] minutes; please do not [cut the power|unplug it]. I wait here, request {request}.
c: [It starts|The channels are back]! But it asks for a login and a password.
o: The login is {contract}, the password goes [by text to {phone}|to {phone}]. Favourites [come back by themselves|are kept on our side], {name}.
# Picture falls apart
c: @hi the picture [breaks into squares|crumbles] and the sound [stutters|disappears], mostly on {tv} and in HD. [It began on {date}|Since {date}].
o: @hello is the box connected [by cable or Wi-Fi|over the air or by cable]? And does it happen on [all HD channels|every channel]?
c: By Wi-Fi, {router} is [behind a wall|in the other room]. On the ordinary channels [hardly ever|almost never].
o: HD needs a steady twelve megabits, Wi-Fi gives {speed} with gaps. A cable or a powerline pair for {total} solves it; [we can lend one|you may try one for a week].
c: [Lend me one|Let me try], please. Address {address}, [best|free] on {next} between {window}.
o: The courier brings it on {next}, request {request}. If it [does not help|changes nothing], he takes it back and you pay nothing.
# App on a phone asks to pay
c: @hi in the {company} app on {handset} {tv} asks me to [pay {fee}|subscribe], though at home on the TV [it is open|it is included]. Contract {contract}.
o: @hello the app must be linked to the contract. Which number is in the profile, {phone}? [It may be another account|Perhaps it is a guest account].
c: [Aha|Right], there is my [<wife's|husband's>|mother's] old number there. How do I [change it|link it]?
o: Profile, Log out, then log in with {phone}; the code [comes by text|is in the message]. Up to five devices [can be linked|work at the same time].
c: [Works|Now it is open], and can I watch it [abroad|in the EU]?
o: News and our own channels yes, sports [only within Ukraine|are limited by rights]. The note is in request {request}, {name}.
# Football not shown
c: @hi the match on {tv} [is today at {time}|starts at {time}], and there is [a text about rights|a grey picture]. I pay for the sports package, {amount}!
o: @hello the package of {contract} ended on {date}: automatic payment [was declined|did not pass]. After paying {amount} it opens [in a minute|at once].
c: [The card was reissued|I have a new card], how stupid. Paid, [what now|do I restart]?
o: @so I see the payment. Switch to another channel and back, {tv} [must be open|is already open].
c: It [opens|works], [you made it before the whistle|in time]! How do I not [fall into this|miss it] again?
o: Save the new card as the main one, we [remind you two days before|send a reminder]. Enjoy the match, {name}!
# Parental control code forgotten
c: @hi we forgot the [parental|child lock] code of the box, and now [half of the channels are closed|films 18+ ask for it]. Serial number {serial}.
o: @hello I can reset it after a check: the name on the contract {contract} and [the last payment|the sum of the last bill]?
c: The contract is [mine|in my name], the last payment {amount} on {date}.
o: @so correct. The code is [four zeros|0000] now, change it in Settings, [Security|Access]. [Keep it away from children|Better not the birthday].
c: [Changed|Done]. Can the children's profile show [only cartoons|nothing but cartoons] till {time}?
o: @yes: Profiles, Children, "Time" — set {time} there. [Cartoons and science|Only the children's channels] stay then. Request {request} is closed.
# Record a series
c: @hi can I [record|save] the series on {tv} that starts at {time}? We are [at work then|always away at that hour].
o: @hello no recording is needed: the archive keeps [seven days|a week] of every channel. Press [the left arrow|OK and then "Archive"] on {tv}.
c: And [longer than a week|for a month]? We are leaving [until {deadline}|for two weeks].
o: Cloud recording for {fee} a month keeps [sixty hours|a hundred hours]. Shall I [switch it on|connect it] to {contract}?
c: Yes, [just for this month|for one month]. How do I [mark the whole series|choose all episodes]?
o: It is on. In the guide hold OK on the title and choose "All episodes"; [they gather in "My recordings"|find them in "Recordings"]. Request {request}.
# Second television at home
c: @hi we bought a second [television|TV] for the kitchen. [Do I need another box|Must I buy a second box], contract {contract}?
o: @hello if it is a Smart TV from [2019|2018] or newer, the app is enough, [free of charge|it costs nothing]. Which model is it?
c: [A Samsung|An LG|A Hisense] of [2022|2023], the app store is there. [And the cable|Do I need a cable]?
o: @so Wi-Fi will do. Install the {company} app, a code appears on the screen; [type it here|write it to me] and I link it.
c: The code is {last4}. [That is all|Is that enough]?
o: Linked to {contract}, {name}: two screens [at the same time|in parallel] are in {plan}, a third one costs {fee}.
# Sound in the wrong language
c: @hi on {tv} films go [in another language|without Ukrainian sound], though [in the programme|on the site] it says there are two tracks. Box {serial}.
o: @hello press the [yellow button|button "Audio"] on the remote: a list of tracks opens. [What is in it|Which are shown]?
c: [Two tracks, one is silent|Only one track], the second [has no sound|is greyed out].
o: @so the second track is Dolby, your television [does not decode it|cannot play it]. In Settings, Sound choose "PCM stereo".
c: [There is sound|I hear it]! @thx. And [subtitles|subtitles for my grandmother], where are they?
o: The [green|blue] button. The size is set in Settings, Subtitles; [large is readable from the sofa|we advise large], request {request}.
# Cancel the television service
c: @hi we hardly watch television. Please [switch it off|cancel it] and leave the internet. Contract {contract}, I pay {amount} for both.
o: @hello I can. The discount for two services goes too, so the internet alone [costs|will be] {amount} minus {fee} only. Is it [still worth it|still interesting]?
c: [Funny arithmetic|So I save almost nothing]. And [what else can you offer|is there something in between]?
o: A light package: [forty channels and the archive|news, films and the archive], with it the sum falls by another {fee}. The box stays [free of charge|without rent].
c: [Let us try|Then the light one]. From [what day|when]?
o: From {next}, with the bill of the new month. The change has number {request}; [you may go back within thirty days|it can be undone in a month], {name}.
`,
  uk: `
# Зник канал
c: @hi з {date} [зник канал|зі списку пропав канал] {tv}. [Дивимося його щовечора|Батьки лише його й дивляться]. Договір {contract}.
o: @hello {tv} {date} [переїхав на інший номер|змінив місце]: оновіть, будь ласка, список, «Налаштування», «Канали», «Оновити».
c: Оновлено, [і досі немає|нічого нового]. На приставці [вісімнадцятий порожній|на його місці чорний екран].
o: Тоді річ у пакеті: {tv} перейшов до [розширеного|пакета «Оптимальний»]. Можу [додати|увімкнути] за {fee} на місяць, перший місяць безкоштовно.
c: [Неприємно, але гаразд|Що ж, умикайте]. А решта каналів [лишиться|теж не зникне]?
o: Решта лишається. {tv} увімкнено о {time}; [перезапустіть приставку|вимкніть і ввімкніть приставку], {name}, він буде на старому номері.
# Приставка зависає на заставці
c: @hi ТВ-приставка [зависає на заставці|не йде далі логотипа], серійний номер {serial}. [Вимикання з розетки не допомагає|Тричі вмикали й вимикали].
o: @hello Затисніть кнопку знизу на [десять|п'ятнадцять] секунд, умикаючи живлення, [лампочка має стати помаранчевою|доки не зміниться лампочка].
c: Помаранчева, [пише «recovery»|з'явилося меню], що [вибрати|далі]?
o: Виберіть «Відновити прошивку», це [сім|десять] хвилин; не [вимикайте струм|виймайте з розетки]. Я тут, заявка {request}.
c: [Пішло|Канали є]! Але питає логін і пароль.
o: Логін {contract}, пароль піде [в СМС на {phone}|на {phone}]. Обране [повернеться саме|зберігається в нас], {name}.
# Картинка розсипається
c: @hi картинка [розсипається на квадратики|сиплеться], звук [заїкається|пропадає], найбільше на {tv} і в HD. [Почалося {date}|Так із {date}].
o: @hello Приставка під'єднана [кабелем чи через Wi-Fi|по повітрю чи кабелем]? І так на [всіх HD-каналах|кожному каналі]?
c: Через Wi-Fi, {router} [за стіною|в іншій кімнаті]. На звичайних каналах [майже ні|такого майже немає].
o: Для HD треба рівних дванадцять мегабіт, а Wi-Fi дає {speed} із провалами. Допоможе кабель або пара powerline за {total}; [можемо дати на пробу|тиждень можна випробувати].
c: [Дайте на пробу|Спробуймо], будь ласка. Адреса {address}, [зручно|найкраще] {next} {window}.
o: Кур'єр привезе {next}, заявка {request}. Якщо [не допоможе|нічого не зміниться], він забере, і платити не треба.
# Застосунок на телефоні просить оплату
c: @hi у застосунку {company} на {handset} {tv} просить [сплатити {fee}|підписатися], хоча вдома на телевізорі [все відкрито|він у пакеті]. Договір {contract}.
o: @hello Застосунок має бути прив'язаний до договору. Який номер у профілі, {phone}? [Може, там інший запис|Можливо, це гостьовий вхід].
c: [Ага|Точно], там старий номер [<дружини|чоловіка>|мами]. Як його [змінити|прив'язати]?
o: Профіль, «Вийти», потім увійдіть із {phone}; код [прийде в СМС|буде в повідомленні]. До п'яти пристроїв [можна прив'язати|працюють водночас].
c: [Працює|Тепер відкрито], а [за кордоном|у ЄС] можна дивитися?
o: Новини й наші канали — так, спорт [лише в Україні|обмежено правами]. Позначка є в заявці {request}, {name}.
# Не показує футбол
c: @hi матч на {tv} [сьогодні о {time}|починається о {time}], а там [напис про права|сірий екран]. Я ж плачу за спортивний пакет, {amount}!
o: @hello Пакет за {contract} скінчився {date}: автоплатіж [відхилено|не пройшов]. Після оплати {amount} відкриється [за хвилину|одразу].
c: [Картку перевипустили|Картка нова], от прикрість. Сплачено, [що тепер|перезапускати]?
o: @so бачу оплату. Перемкніть на інший канал і назад, {tv} [має бути відкритий|вже відкрито].
c: [Відкрилося|Є], [встигли до свистка|саме вчасно]! Як більше [так не вскочити|не прогавити]?
o: Зробіть нову картку основною, ми [нагадуємо за два дні|надсилаємо нагадування]. Гарного матчу, {name}!
# Забули код батьківського контролю
c: @hi забули код [батьківського контролю|дитячого замка], тепер [половина каналів закрита|фільми 18+ його питають]. Серійний номер {serial}.
o: @hello Скину після перевірки: на чиє ім'я договір {contract} і [остання оплата|сума останнього рахунка]?
c: Договір [на мене|на моє ім'я], остання оплата {amount}, {date}.
o: @so правильно. Код тепер [чотири нулі|0000], змініть його: «Налаштування», [«Безпека»|«Доступ»]. [Тримайте подалі від дітей|Краще не день народження].
c: [Змінено|Готово]. А дитячий профіль може показувати [самі мультики|лише мультфільми] до {time}?
o: @yes: «Профілі», «Дитячий», «Час» — поставте {time}. [Лишаться мультики й наука|Будуть лише дитячі канали]. Заявку {request} закрито.
# Записати серіал
c: @hi чи можна [записати|зберегти] серіал на {tv}, що йде о {time}? Ми в цей час [на роботі|завжди не вдома].
o: @hello Записувати не треба: архів тримає [сім днів|тиждень] кожного каналу. На {tv} натисніть [стрілку ліворуч|ОК і «Архів»].
c: А [довше тижня|на місяць]? Ми їдемо [до {deadline}|на два тижні].
o: Хмарний запис за {fee} на місяць тримає [шістдесят годин|сто годин]. [Увімкнути|Підключити] до {contract}?
c: Так, [лише на цей місяць|на один місяць]. Як [позначити весь серіал|вибрати всі серії]?
o: Увімкнено. У програмі затримайте ОК на назві й виберіть «Усі серії»; [збиратимуться в «Моїх записах»|шукайте в «Записах»]. Заявка {request}.
# Другий телевізор удома
c: @hi купили другий телевізор [на кухню|у спальню]. [Потрібна ще одна приставка|Треба купувати другу приставку], договір {contract}?
o: @hello Якщо це Smart TV від [2019|2018] року, досить застосунку, [безкоштовно|він нічого не коштує]. Яка модель?
c: [Samsung|LG|Hisense], [2022|2023] рік, магазин застосунків є. [А кабель|Кабель потрібен]?
o: @so вистачить Wi-Fi. Встановіть застосунок {company}, на екрані з'явиться код; [напишіть його сюди|надішліть його мені], і я прив'яжу.
c: Код {last4}. [Це все|Цього досить]?
o: Прив'язано до {contract}, {name}: два екрани [водночас|паралельно] входять у {plan}, третій коштує {fee}.
# Звук не тією мовою
c: @hi на {tv} фільми йдуть [іншою мовою|без української доріжки], хоча [у програмі|на сайті] пишуть про дві доріжки. Приставка {serial}.
o: @hello Натисніть на пульті [жовту кнопку|кнопку «Audio»]: відкриється список доріжок. [Що там|Які видно]?
c: [Дві, одна німа|Лише одна], друга [без звуку|сіра].
o: @so друга доріжка — Dolby, телевізор її [не розкодовує|не відтворює]. «Налаштування», «Звук», виберіть «PCM стерео».
c: [Звук є|Чую]! @thx. А [субтитри|субтитри для бабусі] де?
o: [Зелена|Синя] кнопка. Розмір — «Налаштування», «Субтитри»; [великі видно з дивана|радимо великі], заявка {request}.
# Відмовитися від телебачення
c: @hi телевізор майже не дивимося. [Вимкніть|Скасуйте] ТБ, а інтернет лишіть. Договір {contract}, за все плачу {amount}.
o: @hello Можна. Але зникне й знижка за дві послуги, тож сам інтернет [коштуватиме|буде] дешевше лише на {fee}. Чи [варто|це ще цікаво]?
c: [Цікава арифметика|Тобто економії майже нема]. А [що ще є|чи є щось середнє]?
o: Легкий пакет: [сорок каналів і архів|новини, кіно й архів], з ним вийде менше ще на {fee}. Приставка лишається [безкоштовно|без орендної плати].
c: [Спробуймо|Тоді легкий]. З [якого числа|якого дня]?
o: З {next}, у рахунку нового місяця. Зміна має номер {request}; [тридцять днів можна повернутися|за місяць можна передумати], {name}.
`,
  ru: `
# Пропал канал
c: @hi с {date} [пропал канал|из списка исчез канал] {tv}. [Смотрим его каждый вечер|Родители только его и смотрят]. Договор {contract}.
o: @hello {tv} {date} [переехал на другой номер|сменил место]: обновите, пожалуйста, список, «Настройки», «Каналы», «Обновить».
c: Обновили, [всё равно нет|ничего нового]. На приставке [восемнадцатый пустой|на его месте чёрный экран].
o: Тогда дело в пакете: {tv} перешёл в [расширенный|пакет «Оптимальный»]. Могу [добавить|включить] за {fee} в месяц, первый месяц бесплатно.
c: [Неприятно, но ладно|Что ж, включайте]. А остальные каналы [останутся|тоже не исчезнут]?
o: Остальные остаются. {tv} включён в {time}; [перезапустите приставку|выключите и включите приставку], {name}, он будет на старом номере.
# Приставка зависает на заставке
c: @hi ТВ-приставка [зависает на заставке|не идёт дальше логотипа], серийный номер {serial}. [Выключение из розетки не помогает|Трижды включали и выключали].
o: @hello Зажмите кнопку снизу на [десять|пятнадцать] секунд, включая питание, [лампочка должна стать оранжевой|пока не сменится лампочка].
c: Оранжевая, [пишет «recovery»|появилось меню], что [выбрать|дальше]?
o: Выберите «Восстановить прошивку», это [семь|десять] минут; не [выключайте ток|вынимайте из розетки]. Я здесь, заявка {request}.
c: [Пошло|Каналы есть]! Но спрашивает логин и пароль.
o: Логин {contract}, пароль уйдёт [в СМС на {phone}|на {phone}]. Избранное [вернётся само|хранится у нас], {name}.
# Картинка рассыпается
c: @hi картинка [рассыпается на квадратики|сыплется], звук [заикается|пропадает], больше всего на {tv} и в HD. [Началось {date}|Так с {date}].
o: @hello Приставка подключена [кабелем или через Wi-Fi|по воздуху или кабелем]? И так на [всех HD-каналах|каждом канале]?
c: Через Wi-Fi, {router} [за стеной|в другой комнате]. На обычных каналах [почти нет|такого почти не бывает].
o: Для HD нужно ровных двенадцать мегабит, а Wi-Fi даёт {speed} с провалами. Поможет кабель или пара powerline за {total}; [можем дать на пробу|неделю можно испытать].
c: [Дайте на пробу|Давайте попробуем], пожалуйста. Адрес {address}, [удобно|лучше всего] {next} {window}.
o: Курьер привезёт {next}, заявка {request}. Если [не поможет|ничего не изменится], он заберёт, и платить не надо.
# Приложение на телефоне просит оплату
c: @hi в приложении {company} на {handset} {tv} просит [заплатить {fee}|подписаться], хотя дома на телевизоре [всё открыто|он в пакете]. Договор {contract}.
o: @hello Приложение должно быть привязано к договору. Какой номер в профиле, {phone}? [Может, там другая запись|Возможно, это гостевой вход].
c: [Ага|Точно], там старый номер [<жены|мужа>|мамы]. Как его [поменять|привязать]?
o: Профиль, «Выйти», потом войдите с {phone}; код [придёт в СМС|будет в сообщении]. До пяти устройств [можно привязать|работают одновременно].
c: [Работает|Теперь открыто], а [за границей|в ЕС] можно смотреть?
o: Новости и наши каналы — да, спорт [только в Украине|ограничен правами]. Пометка есть в заявке {request}, {name}.
# Не показывает футбол
c: @hi матч на {tv} [сегодня в {time}|начинается в {time}], а там [надпись о правах|серый экран]. Я же плачу за спортивный пакет, {amount}!
o: @hello Пакет по {contract} закончился {date}: автоплатёж [отклонён|не прошёл]. После оплаты {amount} откроется [через минуту|сразу].
c: [Карту перевыпустили|Карта новая], вот досада. Оплачено, [что теперь|перезапускать]?
o: @so вижу оплату. Переключите на другой канал и обратно, {tv} [должен быть открыт|уже открыт].
c: [Открылось|Есть], [успели до свистка|как раз вовремя]! Как больше [так не попасть|не прозевать]?
o: Сделайте новую карту основной, мы [напоминаем за два дня|присылаем напоминание]. Хорошего матча, {name}!
# Забыли код родительского контроля
c: @hi забыли код [родительского контроля|детского замка], теперь [половина каналов закрыта|фильмы 18+ его спрашивают]. Серийный номер {serial}.
o: @hello Сброшу после проверки: на чьё имя договор {contract} и [последняя оплата|сумма последнего счёта]?
c: Договор [на меня|на моё имя], последняя оплата {amount}, {date}.
o: @so верно. Код теперь [четыре нуля|0000], смените его: «Настройки», [«Безопасность»|«Доступ»]. [Держите подальше от детей|Лучше не день рождения].
c: [Сменили|Готово]. А детский профиль может показывать [одни мультики|только мультфильмы] до {time}?
o: @yes: «Профили», «Детский», «Время» — поставьте {time}. [Останутся мультики и наука|Будут только детские каналы]. Заявка {request} закрыта.
# Записать сериал
c: @hi можно ли [записать|сохранить] сериал на {tv}, который идёт в {time}? Мы в это время [на работе|всегда не дома].
o: @hello Записывать не нужно: архив хранит [семь дней|неделю] каждого канала. На {tv} нажмите [стрелку влево|ОК и «Архив»].
c: А [дольше недели|на месяц]? Мы уезжаем [до {deadline}|на две недели].
o: Облачная запись за {fee} в месяц хранит [шестьдесят часов|сто часов]. [Включить|Подключить] к {contract}?
c: Да, [только на этот месяц|на один месяц]. Как [отметить весь сериал|выбрать все серии]?
o: Включено. В программе задержите ОК на названии и выберите «Все серии»; [будут собираться в «Моих записях»|ищите в «Записях»]. Заявка {request}.
# Второй телевизор дома
c: @hi купили второй телевизор [на кухню|в спальню]. [Нужна ещё одна приставка|Надо покупать вторую приставку], договор {contract}?
o: @hello Если это Smart TV от [2019|2018] года, достаточно приложения, [бесплатно|оно ничего не стоит]. Какая модель?
c: [Samsung|LG|Hisense], [2022|2023] год, магазин приложений есть. [А кабель|Кабель нужен]?
o: @so хватит Wi-Fi. Установите приложение {company}, на экране появится код; [напишите его сюда|пришлите его мне], и я привяжу.
c: Код {last4}. [Это всё|Этого достаточно]?
o: Привязано к {contract}, {name}: два экрана [одновременно|параллельно] входят в {plan}, третий стоит {fee}.
# Звук не на том языке
c: @hi на {tv} фильмы идут [на другом языке|без русской дорожки|без украинской дорожки], хотя [в программе|на сайте] пишут о двух дорожках. Приставка {serial}.
o: @hello Нажмите на пульте [жёлтую кнопку|кнопку «Audio»]: откроется список дорожек. [Что там|Какие видно]?
c: [Две, одна немая|Только одна], вторая [без звука|серая].
o: @so вторая дорожка — Dolby, телевизор её [не раскодирует|не воспроизводит]. «Настройки», «Звук», выберите «PCM стерео».
c: [Звук есть|Слышу]! @thx. А [субтитры|субтитры для бабушки] где?
o: [Зелёная|Синяя] кнопка. Размер — «Настройки», «Субтитры»; [большие видно с дивана|советуем большие], заявка {request}.
# Отказаться от телевидения
c: @hi телевизор почти не смотрим. [Отключите|Отмените] ТВ, а интернет оставьте. Договор {contract}, за всё плачу {amount}.
o: @hello Можно. Но пропадёт и скидка за две услуги, так что сам интернет [обойдётся|будет] дешевле только на {fee}. [Стоит ли оно того|Это ещё интересно]?
c: [Интересная арифметика|То есть экономии почти нет]. А [что ещё есть|есть что-то среднее]?
o: Лёгкий пакет: [сорок каналов и архив|новости, кино и архив], с ним выйдет меньше ещё на {fee}. Приставка остаётся [бесплатно|без арендной платы].
c: [Давайте попробуем|Тогда лёгкий]. С [какого числа|какого дня]?
o: С {next}, в счёте нового месяца. У изменения номер {request}; [тридцать дней можно вернуться|за месяц можно передумать], {name}.
`
}
