// Account and access: dialogue plans about logging in, codes, personal data, security, the app (form: see DialoguePlan.ts).
import type { SubjectDialogues } from "../DialoguePlan.ts"

export const account: SubjectDialogues = {
  en: `
# Cannot log in to the account
c: @hi I cannot get into my account: [the password does not fit|it says wrong password]. I have tried [three|five] times. Contract {contract}.
o: @hello after [five|several] tries it is locked for a quarter of an hour. Shall I [unlock it|lift the lock], and is the login {email} or {phone}?
c: The login is {email}. The password I [know by heart|have in the notebook], [it worked on {date}|it used to work].
o: The lock is off. On {later} we asked everybody to [set a longer password|change short passwords]; the link went to {email}. It may lie [in spam|among promotions].
c: [Found the letter|Here it is], the link says [expired|no longer valid].
o: A new one is on its way, valid for an hour, request {request}. Take [twelve characters or more|a phrase of four words], {name}, and it will last.
# Code from the text does not come
c: @hi the login code [does not come|never arrives] to {phone}. [I pressed "send again" four times|I have waited half an hour]. {handset}.
o: @hello do other texts come, [from the bank for example|say, from a bank]? And is there a [spam folder|filter] among your messages?
c: [Bank texts come|Yes, from the bank they do], spam is [empty|checked]. [Maybe the number is blocked|What else can it be]?
o: @looked: your operator answers "short numbers forbidden". It is a setting on [their side|the side of your operator]; dial star 105 hash. Meanwhile I send the code to {email}.
c: It came to the [mail|mailbox], [I am in|logged in]! Can I always [get it by mail|use the mail]?
o: Account, Security, "Where to send codes": choose {email} or the app. [The app is the safest|Best is the app with a push], {name}; request {request} is closed.
# Change the phone in the profile
c: @hi my number has changed, the old one is {phone}, [I no longer have it|the SIM is lost]. How do I put in a [new one|new number], ending in {last4}?
o: @hello without the old SIM we check in another way: a [video call for a minute|photo with a document] or a visit to {street}.
c: [The video call|Let it be the video], when [can it be|is it possible]? I am free after {time}.
o: At {time} a colleague calls you through this chat. Have the [passport|ID card] at hand; nobody will ask for [card data|codes from texts].
c: [The call took place|We have just spoken], they said [all is confirmed|it is done].
o: I see it: the number ending in {last4} is the main one on {contract}. All sessions with the old one are [closed|logged out], {name}, request {request}.
# Suspicious login
c: @hi a letter came: [login from another city|new device], "{handset}, {time}". It [was not me|is not my device]! [What do I do|Have I been hacked]?
o: @hello I have closed all sessions of {contract} at once. Was the letter from our address, and did you [press anything in it|enter a password after it]?
c: From yours, I [pressed nothing|only read it]. The password is [the same as on another site|quite old].
o: @so that is how they get in: lists of stolen passwords. Please set a new one, it is [nowhere else used|different from the others], and switch on the second step.
c: [Done both|Both done]. Could they [see the card|pay with my card] *{last4}?
o: Only the last digits, no payment was made: I have [checked the log|looked through the log] since {date}. {name}, the case {request} stays open till {deadline}.
# Change of the contract holder
c: @hi the contract {contract} is in the name of my [late father|former tenant|<ex-wife|ex-husband>]. How can it be [put in my name|rewritten to me]?
o: @hello [I am sorry for the trouble|We will help]. Needed are your passport, [a paper for the flat|proof of ownership or rent] and an application. It is free.
c: [Must I come|Is a visit needed], or is a [scan|photo] enough? I work until {time}.
o: Scans are enough if signed electronically. The form went to {email}; the address {address} [is in it already|I have filled in].
c: Sent with the [signature of the tax service|signature from the bank]. Does the [balance of {amount}|tariff] stay?
o: It stays, the number too. From {next} the contract is yours; the confirmation {request} [comes by mail|goes to {email}], {name}.
# Delete my account
c: @hi please delete my account and [all my data|everything about me]: I am [not a client any more|with another company], contract {contract} ended on {date}.
o: @hello we can: [profile, history and chats|the profile and the history] are deleted within thirty days. The bills we [must keep for three years|keep by law].
c: [Clear|I understand]. And the advertising: [letters come to {email}|they still write to {email}].
o: The mailing is switched off now. To be sure that it is your wish, please answer [with the word DELETE|"I confirm"] from {email}.
c: [Sent|I have answered]. [When will it be over|By what date]?
o: The request {request} is accepted, the last day is {deadline}. You get one final letter, {name}, [after it there is silence|and nothing afterwards].
# App crashes after an update
c: @hi the app [crashes at the start|closes by itself] on {handset} since the update of {date}. [I need to pay the bill|Through it I open the gate], what now?
o: @hello please tell the version: [Settings, Apps, {company}|it is in the phone settings]. And how much [memory is free|free space is there]?
c: Version [5.14|5.15], free space [plenty|enough]. [Deleting did not help|I have reinstalled it once].
o: It is a known fault with [large text|the dark theme]: switch it off for now. The repaired version comes on {next}.
c: With the [theme|setting] off it [opens|works]. How do I pay {amount} meanwhile [without risk|safely]?
o: As usual, the payment part is whole; or at the site under {contract}. I let you know in this chat when the update is out, {name}, request {request}.
# Access for a family member
c: @hi my [<wife|daughter>|mother|sister] wants to [pay the bills|see the balance] of contract {contract} from her own phone. [Must I give my password|How can I do it]?
o: @hello never the password: Account, Access, "Invite". Choose [view and pay|"may pay"], type the phone, and a link goes there.
c: The phone is {phone}. Can she [change the tariff|order things] with it?
o: @no, only you can. You may take the access away [at any moment|in one touch]; every payment is seen in the history.
c: [Invited|I have sent the invitation], the status is [waiting|sent].
o: The link lives a day. If it [does not open|goes out], send it again; I see it under {request}. {name}, up to [four|five] people fit into one contract.
# Marketing messages
c: @hi I get [texts every day|three letters a week] from you: {planNew}, discounts, [lotteries|quizzes]. [I never agreed|I asked to stop it]! Number {phone}.
o: @sorry. I see consent of {date}, given [in the shop with the order|together with the order] {order}. I have withdrawn it.
c: And [the letters|mail] to {email} too? [Only bills, please|I need nothing but bills].
o: Yes: texts, letters, calls, messengers, all off. Bills and notices of works [stay|remain], they are part of the contract {contract}.
c: [At last|Good]. When does it [really stop|take effect]?
o: Letters stop at once, texts by {next} because some [stand in the queue|are already on the way]. If one comes later, {name}, send it here: request {request}.
# Correct a mistake in the name
c: @hi in my account the [surname|patronymic] is [written with a mistake|wrong], and the [bank|notary] does not accept the bill. Contract {contract}.
o: @hello please send a photo of the page of the [passport|ID card]; you may cover [the number|all but the name].
c: Sent. The mistake is in [one letter|the second letter], [since the first day|it was always there].
o: Corrected at {time}. Shall I remake the bills [of this year|since {date}] too?
c: The [last three|last two], please, [in one file|as PDF].
o: They went to {email}: three bills, {total} in all. {name}, the note about the change has the number {request}; [the bank may ask for it|keep it for the bank].
`,
  uk: `
# Не вдається ввійти в кабінет
c: @hi не можу ввійти в кабінет: [пароль не підходить|пише «неправильний пароль»]. <Пробував|Пробувала> разів [три|п'ять]. Договір {contract}.
o: @hello Після [п'яти|кількох] спроб вхід блокується на чверть години. [Розблокувати|Зняти блокування], і логін — {email} чи {phone}?
c: Логін {email}. Пароль [пам'ятаю добре|записаний у зошиті], [{date} підходив|раніше підходив].
o: Блокування знято. {later} ми просили всіх [поставити довший пароль|змінити короткі паролі]; посилання пішло на {email}. Може лежати [у спамі|в «Промоакціях»].
c: [Є лист|Знайшовся лист], а посилання [прострочене|вже недійсне].
o: Нове вже в дорозі, діє годину, заявка {request}. Візьміть [дванадцять знаків або більше|фразу з чотирьох слів], {name}, і вистачить надовго.
# Не приходить код у СМС
c: @hi код для входу [не приходить|так і не надходить] на {phone}. [Чотири рази натискаю «надіслати ще»|Чекаю вже пів години]. {handset}.
o: @hello А інші СМС є, [скажімо, від банку|наприклад, з банку]? І чи немає [теки спаму|фільтра] в повідомленнях?
c: [З банку приходять|Від банку є], спам [порожній|перевірено]. [Може, номер заблоковано|Що ще може бути]?
o: @looked: ваш оператор відповідає «короткі номери заборонено». Це налаштування [в нього|на боці оператора]; наберіть зірочка 105 решітка. Тим часом надсилаю код на {email}.
c: На [пошту|скриньку] прийшов, [я всередині|<увійшов|увійшла>]! А можна завжди [поштою|на пошту]?
o: Кабінет, «Безпека», «Куди надсилати коди»: виберіть {email} або застосунок. [Застосунок найнадійніший|Найкраще застосунок], {name}; заявку {request} закрито.
# Змінити телефон у профілі
c: @hi змінився номер, старий {phone}, [його вже немає|картку втрачено]. Як записати [новий|новий номер], закінчується на {last4}?
o: @hello Без старої картки перевіряємо інакше: [відеодзвінок на хвилину|фото з документом] або візит на {street}.
c: [Відеодзвінок|Хай буде відео], коли [можна|вам зручно]? Я <вільний|вільна> після {time}.
o: О {time} колега подзвонить через цей чат. Тримайте поруч [паспорт|ID-картку]; ніхто не питатиме [даних картки|кодів із СМС].
c: [Дзвінок відбувся|Щойно поговорили], сказали, що [все підтверджено|готово].
o: Бачу: номер на {last4} тепер основний за {contract}. Усі сеанси зі старого [закрито|завершено], {name}, заявка {request}.
# Підозрілий вхід
c: @hi прийшов лист: [вхід з іншого міста|новий пристрій], «{handset}, {time}». Це [не я|не мій пристрій]! [Що робити|Мене зламали]?
o: @hello Усі сеанси {contract} щойно закрито. Лист був з нашої адреси, і чи не [натискали щось у ньому|вводили після нього пароль]?
c: З вашої, [нічого не <натискав|натискала>|лише <прочитав|прочитала>]. Пароль [такий самий на іншому сайті|досить старий].
o: @so так і заходять: за списками викрадених паролів. Поставте новий, [якого більше ніде немає|не схожий на інші], і ввімкніть другий крок.
c: [Зроблено і те, і те|Обидва кроки зроблено]. Вони могли [бачити картку|платити карткою] *{last4}?
o: Лише останні цифри, оплат не було: журнал [перевірено|переглянуто] з {date}. {name}, справа {request} лишається відкритою до {deadline}.
# Переоформити договір
c: @hi договір {contract} записаний на [покійного батька|колишнього орендаря|<колишню дружину|колишнього чоловіка>]. Як [переписати на мене|переоформити]?
o: @hello [Допоможемо|Звісно, допоможемо]. Потрібні ваш паспорт, [документ на квартиру|право власності чи оренди] і заява. Це безкоштовно.
c: [Треба приходити|Візит обов'язковий] чи досить [скану|фото]? Працюю до {time}.
o: Досить сканів з електронним підписом. Форма пішла на {email}; адреса {address} [там уже є|вже вписана].
c: Надіслано з [підписом податкової|підписом із банку]. А [баланс {amount}|тариф] лишиться?
o: Лишиться, і номер теж. З {next} договір ваш; підтвердження {request} [прийде поштою|піде на {email}], {name}.
# Видалити кабінет
c: @hi видаліть, будь ласка, кабінет і [всі мої дані|все про мене]: я [вже не клієнт|тепер в іншій компанії], договір {contract} закрито {date}.
o: @hello Можна: [профіль, історію й чати|профіль та історію] видаляємо за тридцять днів. Рахунки [мусимо зберігати три роки|зберігаємо за законом].
c: [Зрозуміло|Ясно]. І реклама: [листи йдуть на {email}|досі пишуть на {email}].
o: Розсилку вже вимкнено. Щоб упевнитися, що це ваше бажання, дайте відповідь [словом ВИДАЛИТИ|«Підтверджую»] з {email}.
c: [Надіслано|Відповідь є]. [Коли це завершиться|До якого числа]?
o: Заявку {request} прийнято, останній день {deadline}. Прийде один прощальний лист, {name}, [далі тиша|і більше нічого].
# Застосунок вилітає після оновлення
c: @hi застосунок [вилітає на старті|сам закривається] на {handset} після оновлення {date}. [Треба сплатити рахунок|Через нього відчиняю ворота], що робити?
o: @hello Підкажіть версію: [Налаштування, Застосунки, {company}|вона в налаштуваннях телефона]. І скільки [вільної пам'яті|вільного місця]?
c: Версія [5.14|5.15], місця [повно|досить]. [Видалення не допомогло|Вже раз перевстановлено].
o: Це відома вада з [великим шрифтом|темною темою]: поки що вимкніть. Виправлена версія буде {next}.
c: Без [теми|цього налаштування] [відкрився|працює]. Як доти сплатити {amount} [без ризику|безпечно]?
o: Як завжди, оплата справна; або на сайті за {contract}. Щойно вийде оновлення, напишу в цей чат, {name}, заявка {request}.
# Доступ для родини
c: @hi [<дружина|донька>|мама|сестра] хоче [платити рахунки|бачити баланс] за договором {contract} зі свого телефона. [Давати їй пароль|Як це зробити]?
o: @hello Пароль — ніколи: Кабінет, «Доступ», «Запросити». Виберіть [перегляд і оплату|«Може платити»], введіть телефон, туди піде посилання.
c: Телефон {phone}. А [тариф міняти|послуги замовляти] вона зможе?
o: @no, лише ви. Доступ можна забрати [будь-якої миті|одним дотиком]; кожну оплату видно в історії.
c: [Запрошено|Запрошення пішло], статус [«очікує»|«надіслано»].
o: Посилання живе добу. Якщо [не відкриється|згасне], надішліть знову; бачу його під номером {request}. {name}, на один договір можна [четверо|п'ятеро] людей.
# Рекламні повідомлення
c: @hi від вас [щодня СМС|по три листи на тиждень]: {planNew}, знижки, [лотереї|вікторини]. [Згоди я не <давав|давала>|<Просив|Просила> припинити]! Номер {phone}.
o: @sorry. Бачу згоду від {date}, дану [в магазині разом із замовленням|під час замовлення] {order}. Її відкликано.
c: І [листи|пошту] на {email} теж? [Лише рахунки, будь ласка|Мені потрібні самі рахунки].
o: Так: СМС, листи, дзвінки, месенджери — все вимкнено. Рахунки й попередження про роботи [лишаються|будуть], вони частина договору {contract}.
c: [Нарешті|Добре]. Коли це [справді припиниться|запрацює]?
o: Листи — одразу, СМС до {next}, бо деякі [вже в черзі|вже в дорозі]. Якщо прийде пізніше, {name}, надішліть сюди: заявка {request}.
# Помилка в імені
c: @hi у кабінеті [прізвище|ім'я по батькові] [з помилкою|неправильне], а [банк|нотаріус] не приймає рахунок. Договір {contract}.
o: @hello Надішліть, будь ласка, фото сторінки [паспорта|ID-картки]; можна закрити [номер|все, крім імені].
c: Надіслано. Помилка [в одній літері|у другій літері], [з першого дня|так було завжди].
o: Виправлено о {time}. Переробити й рахунки [цього року|з {date}]?
c: [Останні три|Останні два], будь ласка, [одним файлом|у PDF].
o: Пішли на {email}, разом {total}. {name}, довідка про зміну має номер {request}; [банк може її попросити|збережіть для банку].
`,
  ru: `
# Не удаётся войти в кабинет
c: @hi не могу войти в кабинет: [пароль не подходит|пишет «неверный пароль»]. <Пробовал|Пробовала> раз [пять|шесть]. Договор {contract}.
o: @hello После [пяти|нескольких] попыток вход блокируется на четверть часа. [Разблокировать|Снять блокировку], и логин — {email} или {phone}?
c: Логин {email}. Пароль [помню хорошо|записан в тетради], [{date} подходил|раньше подходил].
o: Блокировка снята. {later} мы просили всех [поставить пароль подлиннее|сменить короткие пароли]; ссылка ушла на {email}. Может лежать [в спаме|в «Промоакциях»].
c: [Есть письмо|Нашлось письмо], а ссылка [просрочена|уже недействительна].
o: Новая уже в пути, действует час, заявка {request}. Возьмите [двенадцать знаков или больше|фразу из четырёх слов], {name}, и хватит надолго.
# Не приходит код в СМС
c: @hi код для входа [не приходит|так и не поступает] на {phone}. [Четыре раза нажимаю «отправить ещё»|Жду уже полчаса]. {handset}.
o: @hello А другие СМС есть, [скажем, от банка|например, из банка]? И нет ли [папки спама|фильтра] в сообщениях?
c: [Из банка приходят|От банка есть], спам [пустой|проверен]. [Может, номер заблокирован|Что ещё может быть]?
o: @looked: ваш оператор отвечает «короткие номера запрещены». Это настройка [у него|на стороне оператора]; наберите звёздочка 105 решётка. Пока отправляю код на {email}.
c: На [почту|ящик] пришёл, [я внутри|<вошёл|вошла>]! А можно всегда [почтой|на почту]?
o: Кабинет, «Безопасность», «Куда отправлять коды»: выберите {email} или приложение. [Приложение надёжнее всего|Лучше всего приложение], {name}; заявка {request} закрыта.
# Сменить телефон в профиле
c: @hi сменился номер, старый {phone}, [его уже нет|карта утеряна]. Как записать [новый|новый номер], заканчивается на {last4}?
o: @hello Без старой карты проверяем иначе: [видеозвонок на минуту|фото с документом] или визит на {street}.
c: [Видеозвонок|Пусть будет видео], когда [можно|вам удобно]? Я <свободен|свободна> после {time}.
o: В {time} коллега позвонит через этот чат. Держите рядом [паспорт|ID-карту]; никто не спросит [данных карты|кодов из СМС].
c: [Звонок состоялся|Только что поговорили], сказали, что [всё подтверждено|готово].
o: Вижу: номер на {last4} теперь основной по {contract}. Все сеансы со старого [закрыты|завершены], {name}, заявка {request}.
# Подозрительный вход
c: @hi пришло письмо: [вход из другого города|новое устройство], «{handset}, {time}». Это [не я|не моё устройство]! [Что делать|Меня взломали]?
o: @hello Все сеансы {contract} только что закрыты. Письмо было с нашего адреса, и вы не [нажимали что-то в нём|вводили после него пароль]?
c: С вашего, [ничего не <нажимал|нажимала>|только <прочитал|прочитала>]. Пароль [такой же на другом сайте|довольно старый].
o: @so так и заходят: по спискам украденных паролей. Поставьте новый, [которого больше нигде нет|не похожий на другие], и включите второй шаг.
c: [Сделано и то, и другое|Оба шага сделаны]. Они могли [видеть карту|платить картой] *{last4}?
o: Только последние цифры, оплат не было: журнал [проверен|просмотрен] с {date}. {name}, дело {request} остаётся открытым до {deadline}.
# Переоформить договор
c: @hi договор {contract} записан на [покойного отца|бывшего арендатора|<бывшую жену|бывшего мужа>]. Как [переписать на меня|переоформить]?
o: @hello [Поможем|Конечно, поможем]. Нужны ваш паспорт, [документ на квартиру|право собственности или аренды] и заявление. Это бесплатно.
c: [Надо приходить|Визит обязателен] или достаточно [скана|фото]? Работаю до {time}.
o: Достаточно сканов с электронной подписью. Форма ушла на {email}; адрес {address} [там уже есть|уже вписан].
c: Отправлено с [подписью налоговой|подписью из банка]. А [баланс {amount}|тариф] останется?
o: Останется, и номер тоже. С {next} договор ваш; подтверждение {request} [придёт почтой|уйдёт на {email}], {name}.
# Удалить кабинет
c: @hi удалите, пожалуйста, кабинет и [все мои данные|всё обо мне]: я [уже не клиент|теперь в другой компании], договор {contract} закрыт {date}.
o: @hello Можно: [профиль, историю и чаты|профиль и историю] удаляем за тридцать дней. Счета [обязаны хранить три года|храним по закону].
c: [Понятно|Ясно]. И реклама: [письма идут на {email}|до сих пор пишут на {email}].
o: Рассылка уже отключена. Чтобы убедиться, что это ваше желание, ответьте [словом УДАЛИТЬ|«Подтверждаю»] с {email}.
c: [Отправлено|Ответ есть]. [Когда это закончится|До какого числа]?
o: Заявка {request} принята, последний день {deadline}. Придёт одно прощальное письмо, {name}, [дальше тишина|и больше ничего].
# Приложение вылетает после обновления
c: @hi приложение [вылетает на старте|само закрывается] на {handset} после обновления {date}. [Надо оплатить счёт|Через него открываю ворота], что делать?
o: @hello Подскажите версию: [Настройки, Приложения, {company}|она в настройках телефона]. И сколько [свободной памяти|свободного места]?
c: Версия [5.14|5.15], места [полно|достаточно]. [Удаление не помогло|Уже раз переустановлено].
o: Это известный изъян с [крупным шрифтом|тёмной темой]: пока выключите. Исправленная версия будет {next}.
c: Без [темы|этой настройки] [открылось|работает]. Как до этого оплатить {amount} [без риска|безопасно]?
o: Как всегда, оплата исправна; или на сайте по {contract}. Как только выйдет обновление, напишу в этот чат, {name}, заявка {request}.
# Доступ для семьи
c: @hi [<жена|дочь>|мама|сестра] хочет [платить счета|видеть баланс] по договору {contract} со своего телефона. [Давать ей пароль|Как это сделать]?
o: @hello Пароль — никогда: Кабинет, «Доступ», «Пригласить». Выберите [просмотр и оплату|«Может платить»], введите телефон, туда уйдёт ссылка.
c: Телефон {phone}. А [тариф менять|услуги заказывать] она сможет?
o: @no, только вы. Доступ можно забрать [в любой момент|одним касанием]; каждая оплата видна в истории.
c: [Приглашение ушло|Пригласили], статус [«ожидает»|«отправлено»].
o: Ссылка живёт сутки. Если [не откроется|погаснет], отправьте снова; вижу её под номером {request}. {name}, на один договор можно [четверых|пятерых].
# Рекламные сообщения
c: @hi от вас [каждый день СМС|по три письма в неделю]: {planNew}, скидки, [лотереи|викторины]. [Согласия я не <давал|давала>|<Просил|Просила> прекратить]! Номер {phone}.
o: @sorry. Вижу согласие от {date}, данное [в магазине вместе с заказом|при заказе] {order}. Оно отозвано.
c: И [письма|почту] на {email} тоже? [Только счета, пожалуйста|Мне нужны одни счета].
o: Да: СМС, письма, звонки, мессенджеры — всё выключено. Счета и предупреждения о работах [остаются|будут], они часть договора {contract}.
c: [Наконец-то|Хорошо]. Когда это [правда прекратится|заработает]?
o: Письма — сразу, СМС до {next}, потому что некоторые [уже в очереди|уже в пути]. Если придёт позже, {name}, пришлите сюда: заявка {request}.
# Ошибка в имени
c: @hi в кабинете [фамилия|отчество] [с ошибкой|с лишней буквой], а [банк|нотариус] не принимает счёт. Договор {contract}.
o: @hello Пришлите, пожалуйста, фото страницы [паспорта|ID-карты]; можно закрыть [номер|всё, кроме имени].
c: Отправлено. Ошибка [в одной букве|во второй букве], [с первого дня|так было всегда].
o: Исправлено в {time}. Переделать и счета [этого года|с {date}]?
c: [Последние три|Последние два], пожалуйста, [одним файлом|в PDF].
o: Ушли на {email}, вместе {total}. {name}, у справки об изменении номер {request}; [банк может её попросить|сохраните для банка].
`
}
