// Billing: dialogue plans about bills, payments, refunds and papers for the accountant (form: see DialoguePlan.ts).
import type { SubjectDialogues } from "../DialoguePlan.ts"

export const billing: SubjectDialogues = {
  en: `
# Charged twice for {month}
c: @hi my card was [charged twice|debited two times|billed twice] for {month}: {amount} on {date} and the same sum again [an hour later|the next morning|a few minutes later]. [Can you check?|What happened?|Please look into it.]
o: @hello [Two identical payments did arrive|I see two equal payments|There are indeed two payments] on contract {contract}, both from the card ending in {last4}. Did you [press the pay button twice|pay in the app and on the website|have automatic payment switched on]?
c: [No, I paid once|I pressed it only once|No, just once], [the page froze and I closed it|the site hung for a minute|the app showed an error]. I need the second {amount} back [on my card|as money, not as credit].
o: @sorry. I have [filed|opened|registered] a refund for the duplicate charge, number {request}. The bank returns the money [within three working days|in three to five banking days|by {deadline}].
c: @ok, and will [the next bill be normal|my balance stay correct|the service keep working meanwhile]?
o: @yes, the balance of {contract} [is correct already|shows only one payment|is not affected], and the bill for the next month will be the usual {amount}.
# Invoice with company VAT details
c: @hi we pay for the office line under contract {contract}, and [our accountant needs|accounting is asking for] a proper invoice with our company name and VAT number for {month}.
o: @hello [We can issue it|That is possible|No problem]. Please send [the full company name|the registered name], the VAT number and [the legal address|the registered office] so that the invoice is [made out correctly|valid for accounting].
c: Northgate Consulting LLC, VAT {code}, {address}. [The amount is|It should say] {total} and the [signed act|certificate of services] must be attached too.
o: [Thank you|Noted|I have it]. The invoice for {total} [goes out|will be sent] to {email} [today|within the hour|before the end of the day], the signed original follows by [electronic document exchange|post].
c: [Could you|Can you] send it [every month automatically|each month without my asking]? [Last year|Earlier] I had to [ask each time|write every single month].
o: {name}, I have switched on monthly e-invoices for contract {contract}: [they arrive on the first working day|expect them by the third of each month].
# Bill has not arrived
c: @hi [it is already the middle of the month|the month is nearly over] and I still have no bill for {month}. [Normally it comes by email|It used to come to {email}]. Contract {contract}.
o: @hello the bill was sent on {date} to {email}. Is this address [still in use|correct|up to date]?
c: [That is my old address|I changed my mailbox in spring|I no longer use that one]. Please [switch to|use] the one from my profile and [send the bill again|resend it].
o: Done, {name}: the new address is saved and the bill for {amount} has been [sent again|resent] at {time}. [Please look into the spam folder too|If you do not see it, check spam].
c: [Found it|It is here|Got it]. Until [what day|when] do I have to pay [without a late fee|so that I am not disconnected]?
o: The due date is {deadline}, and [no late fee is charged before it|there is no penalty until then]. [You may pay by card in the account|The app accepts cards too|The quickest way is the app].
# Wrong amount in the bill
c: @hi the bill for {month} says {total}, [though I always pay|but my tariff costs] {amount}. [Where does the difference come from?|What else is in there?|Please explain the difference.]
o: @hello [let me break it down|here is the breakdown|this is what it consists of]: {amount} is the tariff {plan}, the rest is the [sports package|antivirus option|extra static IP address] that was connected on {date}.
c: I [never ordered|did not order|never asked for] that. [Nobody asked me|I got no message about it], please [remove it|switch it off] and [take it off the bill|recalculate].
o: @sorry. The option was a [free trial that turned into a paid one|trial month which went on as paid]. It is off now, and the bill is [corrected|recalculated] to {amount}.
c: @thx. Do I have to [wait for a new bill|do anything else] or simply pay {amount}?
o: Just pay {amount}: the corrected bill [is already in your account|can be downloaded now] under contract {contract}.
# Payment did not go through
c: @hi I paid {amount} on {date} [from the banking app|through a terminal|at the post office], the money [is gone|was taken] but my balance [is still negative|has not changed].
o: @hello [please send|please photograph] the receipt or at least the [payment number|transaction code] and the exact time, then I [can trace it|will find it].
c: [The receipt says|Here it is:] {payment}, time {time}, contract {contract}... [wait|hold on], [one digit may be wrong|I may have mistyped the last digit].
o: [That is the reason|Exactly]: the payment {payment} [landed on another contract|went to a different subscriber number] because of one wrong digit. I have [moved it|transferred it] to {contract}.
c: [Wow, quick|That was fast]. So [I am not disconnected tonight|the internet will not be cut off]?
o: [No|No, do not worry|Not at all], your balance is positive again and the service is paid until {deadline}.
# Change the card for automatic payment
c: @hi my card ending in {last4} [expires this month|was blocked|has been replaced by the bank]. How do I [change the card|put in a new card] for automatic payment?
o: @hello open the account, section [Payments|Payment methods], press [Remove card|Delete] next to {last4} and add the new one. [It takes a minute|A charge of one hryvnia checks it and comes back at once].
c: [It will not let me|The button is grey], it says [payment in progress|an active payment exists] since {date}.
o: I see it: the attempt of {date} [was stuck|hung] because the bank [refused the old card|declined it]. I have [cancelled|dropped] it on contract {contract}, please try again.
c: [Works now|Now it went through|The new card is in]. When will the next {amount} be [taken|charged]?
o: On {deadline}, {name}. You get [a message the day before|a reminder one day earlier] and can [switch automatic payment off|cancel it] at any time.
# Refund of the balance after leaving
c: @hi I [closed|terminated] contract {contract} on {date}, and {amount} was still on the balance. How do I get [it back|my money back]?
o: @hello the remaining balance can be [refunded|paid back] to a bank account in your name. We need [a short application|a signed application] and the IBAN.
c: [Can I do it online|Is it possible without coming to the office]? I [have moved abroad|live in another city now].
o: @yes: I have sent the form to {email}, [sign it with an electronic signature|a photo of the signed page is enough] and reply with the IBAN. Case {request}.
c: [Sent|Done, I have sent it], IBAN ends in {last4}. How long [does it take|will that be]?
o: [Received|It has arrived], thank you. The {amount} will be [transferred|on your account] by {deadline}.
# Deferred payment request
c: @hi my salary is late and I cannot pay {amount} [until the end of the week|before {deadline}]. Please [do not cut me off|leave the internet on], I [work from home|have lessons online].
o: @hello we offer a promised payment: the service [stays on|keeps working] for five days and the {amount} is [due by|to be paid until] {deadline}. Shall I [switch it on|activate it]?
c: Yes please. Does it [cost anything|have a fee]? And [how often|how many times] can I use it?
o: It costs {fee} and is available once a month. [It is on|Activated] for contract {contract} from {time} today.
c: [You saved me|What a relief]! @thx!
# Receipt for tax return
c: @hi I need [proof of all my payments|a statement of payments] for last year [for the tax office|for my employer|for the visa application], contract {contract}.
o: @hello [I can prepare|We can make] a statement with the payments of any period. Should it be in English, and [with a stamp|with our seal]?
c: [In English with a stamp, please|Yes, English and stamped]. The embassy wants it before {deadline}.
o: The statement is ready: {total} in twelve payments. The stamped PDF [is on its way|has been sent] to {email}, request {request}.
c: [One thing|A small mistake]: my surname is spelled [differently from the passport|with one letter wrong]. Can you [fix that|correct it]?
o: Of course, {name}. I have corrected it and [sent the file again|resent the PDF] at {time}. [The old copy is void|Please delete the old one].
# Bonus not credited
c: @hi on {date} I [topped up {total}|paid {total} in advance] because of the action [pay more, get ten percent|ten percent back], but the bonus [has not come|is not on my balance].
o: @hello the bonus is [credited|added] on the tenth day after the payment if it was [made in the app|made from a card]. How did you pay?
c: [In the app|By card in the app], at about {time}. [I have a screenshot of the offer|I kept the promo message].
o: @looked: the payment counts, the bonus [was held back|got stuck] because the contract {contract} had two offers at once. I have added it [by hand|manually].
c: I see it now. [Does it expire|How long is it valid]?
o: The bonus is [valid|good] for ninety days and [is used up first|pays your next bills first], {name}.
# Why did the price rise
c: @hi [from this month|since the first] I pay {amount} instead of what I had for years. [Nobody warned me|I did not get any notice]. Why?
o: @hello the price of {plan} changed on {date}; the notice went to {email} [a month before|thirty days earlier]. [I understand it is unpleasant|I know nobody likes that].
c: I [did not see it|missed that letter]. Is there [anything cheaper|a discount for long-time customers]? I have been with you for [six|eight|nine] years.
o: For customers of more than five years there is {planNew} for {amount} [with the same speed|and the speed stays]. It can [start|be switched on] from {next}.
c: @ok, [switch me over|then change it], please. [No fees for the change|The change is free], right?
o: [Right, it is free|No fees at all]. The request {request} is [registered|in place], you will get a message on {next}.
`,
  uk: `
# Подвійне списання за {month}
c: @hi за {month} з картки двічі [списали гроші|зняли кошти|списали оплату]: {amount} {date} і ще раз стільки ж [через годину|наступного ранку|через кілька хвилин]. [Перевірте, будь ласка.|Що сталося?|Розберіться, будь ласка.]
o: @hello За договором {contract} справді [бачу два однакові платежі|надійшли два однакові платежі|є дві однакові оплати] з картки *{last4}. Ви [натискали кнопку оплати двічі|платили і в застосунку, і на сайті|вмикали автоплатіж]?
c: [Ні, <платив|платила>|Ні, <сплачував|сплачувала>] один раз, [сторінка зависла|сайт завис|застосунок показав помилку]. [Поверніть, будь ласка|Прошу повернути] другі {amount} саме на картку.
o: @sorry. <Оформив|Оформила> [заявку на |]повернення подвійного списання, номер {request}. Банк зарахує кошти [упродовж трьох робочих днів|за три-п'ять банківських днів|до {deadline}].
c: @ok. А [інтернет за цей час не вимкнуть|наступний рахунок буде звичайний|баланс тепер правильний]?
o: [Не хвилюйтеся|Усе гаразд]: баланс договору {contract} [правильний|не постраждає], наступний рахунок буде звичайним, {amount}.
# Рахунок для бухгалтерії з ПДВ
c: @hi ми платимо за офіс за договором {contract}, [бухгалтерія просить|бухгалтерові потрібен] рахунок з реквізитами ТОВ і ПДВ за {month}.
o: @hello [Так, оформимо|Це можливо|Без проблем]. Надішліть, будь ласка, повну назву, код ЄДРПОУ та [юридичну адресу|адресу реєстрації], щоб рахунок був [складений правильно|дійсний для обліку].
c: ТОВ «Північна брама», код {code}, {address}. Сума {total}, і [потрібен акт виконаних робіт|додайте, будь ласка, акт].
o: [Записую|Дякую, є]. Рахунок на {total} [піде|буде] на {email} [сьогодні|протягом години|до кінця дня], підписаний акт надішлемо [через електронний документообіг|поштою].
c: А можна надсилати [щомісяця автоматично|кожного місяця без нагадувань]? [Торік|Раніше] доводилося [щоразу просити|писати щомісяця].
o: {name}, для договору {contract} [увімкнено|підключено] щомісячні електронні рахунки: [надходитимуть першого робочого дня|чекайте до третього числа].
# Не прийшов рахунок
c: @hi [уже середина місяця|місяць закінчується], а рахунка за {month} [досі немає|так і не прийшло]. Договір {contract}, раніше [надсилали на пошту|приходив на пошту].
o: @hello Рахунок надіслано {date} на {email}. Ця адреса [ще чинна|правильна|актуальна]?
c: [Ні, це стара пошта|Я <змінив|змінила> скриньку навесні|Цією поштою вже не користуюся]. [Надішліть, будь ласка, на нову|Змініть на нову], вона є в кабінеті.
o: Готово, {name}: нову адресу збережено, рахунок на {amount} [надіслано ще раз|надіслано повторно] о {time}. [Гляньте й у спам|Якщо не видно, перевірте спам].
c: [Бачу, прийшов|Є, знайшлося]. До [якого числа|якого дня] треба сплатити, [щоб не вимкнули|без пені]?
o: Сплатити треба до {deadline}, [доти пеня не нараховується|до цього дня пені немає]. [Найшвидше через застосунок|Можна карткою в кабінеті|Підійде й термінал].
# Неправильна сума в рахунку
c: @hi у рахунку за {month} стоїть {total}, [хоча плачу завжди|а тариф коштує] {amount}. [Звідки різниця?|Що туди додали?|Поясніть, будь ласка, різницю.]
o: @hello [Розпишу по рядках|Ось із чого складається сума]: {amount} — тариф {plan}, решта — [пакет спортивних каналів|антивірус|статична IP-адреса], підключений {date}.
c: Я цього [не <замовляв|замовляла>|не <підключав|підключала>|не <просив|просила>]. [Ніхто не питав|Повідомлення не було], [вимкніть, будь ласка|приберіть] і [перерахуйте|зробіть перерахунок].
o: @sorry. То був [пробний місяць, що став платним|безкоштовний період, який продовжився]. Послугу вимкнено, рахунок [перераховано|виправлено]: {amount}.
c: @thx. [Чекати нового рахунка|Ще щось робити] чи просто сплатити {amount}?
o: Просто сплатіть {amount}: виправлений рахунок [уже в кабінеті|можна завантажити зараз] за договором {contract}.
# Оплата не зарахована
c: @hi {date} [<сплатив|сплатила> через термінал|<сплатив|сплатила> через банк|<платив|платила> на пошті] {amount}, гроші [пішли|зняли], а баланс [і досі від'ємний|не змінився].
o: @hello [Надішліть, будь ласка,|Сфотографуйте, будь ласка,] квитанцію або хоча б [номер платежу|код операції] й точний час, тоді [знайдемо|зможу відстежити].
c: [Ось|У квитанції]: {payment}, час {time}, договір {contract}... [ой|стривайте], [здається, одна цифра не та|<міг|могла> помилитися в останній цифрі].
o: [У цьому й річ|Саме так]: через одну цифру платіж {payment} [потрапив на чужий договір|зараховано іншому абонентові]. <Переніс|Перенесла> його на {contract}, усе гаразд.
c: [Ого, як швидко|Оце швидкість]. То [сьогодні не вимкнуть|інтернет не пропаде]?
o: [Ні|Ні, не хвилюйтеся|Звісно, ні], баланс знову додатний, послугу оплачено до {deadline}.
# Змінити картку для автоплатежу
c: @hi у моєї картки *{last4} [закінчується термін|цього місяця спливає термін|банк змінив номер]. Як [змінити картку|додати нову картку] для автоплатежу?
o: @hello Відкрийте кабінет, розділ [«Оплата»|«Способи оплати»], натисніть [«Вилучити»|«Видалити»] біля *{last4} і додайте нову. [Це хвилина|Для перевірки спишеться гривня й одразу повернеться].
c: [Не дає|Кнопка сіра], пише, що [платіж виконується|є незавершений платіж] від {date}.
o: Бачу: спроба від {date} [зависла|застрягла], бо банк [відхилив стару картку|відмовив]. [Скасовано|Знято] на договорі {contract}, спробуйте ще раз.
c: [Тепер вийшло|Додалося|Нова картка є]. Коли [спишеться|знімуть] наступні {amount}?
o: {deadline}, {name}. Напередодні [прийде повідомлення|нагадаємо], а автоплатіж можна [вимкнути|скасувати] будь-коли.
# Повернення залишку після розірвання
c: @hi {date} я [<розірвав|розірвала>|<закрив|закрила>] договір {contract}, на балансі лишилося {amount}. Як [повернути|забрати] ці гроші?
o: @hello Залишок [повертаємо|виплачуємо] на рахунок у банку на ваше ім'я. Потрібні [коротка заява|підписана заява] та IBAN.
c: Чи можна [онлайн|без візиту до офісу]? Я [вже за кордоном|живу в іншому місті].
o: @yes: форму надіслано на {email}, [підпишіть електронним підписом|вистачить фото підписаної сторінки] та надішліть IBAN. Номер {request}.
c: [Надіслано|Усе <надіслав|надіслала>|<Відправив|Відправила>], IBAN закінчується на {last4}. [Скільки чекати|Це надовго]?
o: [Отримали|Усе надійшло], дякую. {amount} [переказуємо|будуть на рахунку] до {deadline}.
# Обіцяний платіж
c: @hi затримали зарплату, не можу сплатити {amount} [до кінця тижня|раніше {deadline}]. [Не вимикайте, будь ласка|Залиште інтернет], я [працюю з дому|маю онлайн-уроки].
o: @hello Є обіцяний платіж: послуга [працює|не вимикається] п'ять днів, а {amount} [сплачуєте|потрібно внести] до {deadline}. [Увімкнути|Підключити]?
c: Так, будь ласка. Це [платно|щось коштує]? І [як часто|скільки разів] можна?
o: Коштує {fee}, доступно раз на місяць. [Увімкнено|Активовано] для договору {contract} сьогодні з {time}.
c: [Ви мене врятували|Камінь з душі]! @thx!
# Довідка про оплати
c: @hi мені потрібна довідка про всі оплати за минулий рік [для субсидії|для податкової|для роботодавця], договір {contract}.
o: @hello [Підготуємо|Зробимо] довідку за будь-який період. Вам [з печаткою|із живим підписом] чи [досить електронної|вистачить PDF]?
c: [З печаткою, будь ласка|Краще з печаткою]. Подати треба до {deadline}.
o: Довідка готова: {total} дванадцятьма платежами. PDF з печаткою [надіслано|уже летить] на {email}, номер {request}.
c: [Дрібниця|Є одна помилка]: у прізвищі [зайва літера|не та літера], [у паспорті інакше|не як у паспорті]. [Виправите|Можна виправити]?
o: Звісно, {name}. Виправлено й [надіслано ще раз|надіслано повторно] о {time}. [Стару довідку вважайте недійсною|Стару, будь ласка, видаліть].
# Не нарахували бонус
c: @hi {date} [<поповнив|поповнила> рахунок на {total}|<сплатив|сплатила> {total} наперед] за акцією [«Плюс десять відсотків»|«Десять відсотків назад»], а бонус [не прийшов|так і не нарахували].
o: @hello Бонус [зараховується|надходить] на десятий день, якщо платили [карткою|в застосунку]. Як [саме|ви] платили?
c: [У застосунку|Карткою в застосунку], десь о {time}. [Є знімок екрана з умовами|Зберігся промолист].
o: @looked: платіж підходить, але бонус [завис|застряг], бо на договорі {contract} були дві акції водночас. [Нараховано вручну|Додано вручну].
c: [Бачу, є|Уже видно]. А він [згорає|має термін]?
o: Бонус [діє|чинний] дев'яносто днів і [витрачається першим|першим іде на оплату], {name}.
# Чому подорожчав тариф
c: @hi [з цього місяця|з першого числа] плачу {amount}, хоча роками було менше. [Ніхто не попередив|Жодного листа не було]. Чому?
o: @hello Вартість тарифу {plan} змінилася {date}; лист надсилали на {email} [за місяць|за тридцять днів]. [Розумію, приємного мало|Розумію ваше невдоволення].
c: [Не <бачив|бачила> того листа|<Пропустив|Пропустила> того листа]. Є щось [дешевше|зі знижкою для давніх клієнтів]? Я з вами [шість|вісім|дев'ять] років.
o: Для клієнтів понад п'ять років є {planNew} за {amount}, [швидкість та сама|швидкість не зміниться]. Можна [увімкнути|перейти] з {next}.
c: @ok, [переведіть|тоді перейдемо], будь ласка. [Перехід безкоштовний|За перехід не платити]?
o: [Так, безкоштовно|Жодних доплат]. Заявку {request} [прийнято|зареєстровано], {next} прийде повідомлення.
`,
  ru: `
# Двойное списание за {month}
c: @hi за {month} с карты дважды [списали деньги|сняли оплату|списали абонплату]: {amount} {date} и ещё раз столько же [через час|на следующее утро|через пару минут]. [Проверьте, пожалуйста.|Что случилось?|Разберитесь, пожалуйста.]
o: @hello По договору {contract} действительно [вижу два одинаковых платежа|пришли два одинаковых платежа|есть две одинаковые оплаты] с карты *{last4}. Вы [нажимали кнопку дважды|платили и в приложении, и на сайте|включали автоплатёж]?
c: [Нет, платёж был один|Нет, платили один раз], [страница зависла|сайт завис|приложение выдало ошибку]. [Верните, пожалуйста|Прошу вернуть] вторые {amount} именно на карту.
o: @sorry. [Оформлен|Создан|Зарегистрирован] возврат двойного списания, номер {request}. Банк зачислит деньги [в течение трёх рабочих дней|за три-пять банковских дней|до {deadline}].
c: @ok. А [интернет за это время не отключат|следующий счёт будет обычным|баланс теперь правильный]?
o: [Не переживайте|Всё в порядке]: баланс договора {contract} [верный|не пострадает], следующий счёт будет обычным, {amount}.
# Счёт для бухгалтерии с НДС
c: @hi мы платим за офис по договору {contract}, [бухгалтерия просит|бухгалтеру нужен] счёт с реквизитами ООО и НДС за {month}.
o: @hello [Да, оформим|Это возможно|Без проблем]. Пришлите, пожалуйста, полное название, код предприятия и [юридический адрес|адрес регистрации], чтобы счёт был [составлен правильно|годен для учёта].
c: ООО «Северные ворота», код {code}, {address}. Сумма {total}, и [нужен акт выполненных работ|приложите, пожалуйста, акт].
o: [Записываю|Спасибо, есть]. Счёт на {total} [уйдёт|будет] на {email} [сегодня|в течение часа|до конца дня], подписанный акт отправим [через электронный документооборот|почтой].
c: А можно присылать [каждый месяц автоматически|ежемесячно без напоминаний]? [В прошлом году|Раньше] приходилось [каждый раз просить|писать каждый месяц].
o: {name}, для договора {contract} [включены|подключены] ежемесячные электронные счета: [приходят в первый рабочий день|ждите до третьего числа].
# Не пришёл счёт
c: @hi [уже середина месяца|месяц заканчивается], а счёта за {month} [всё ещё нет|так и не было]. Договор {contract}, раньше [присылали на почту|приходил на почту].
o: @hello Счёт отправлен {date} на {email}. Этот адрес [ещё действует|правильный|актуален]?
c: [Нет, это старая почта|Весной ящик поменялся|Этой почтой больше не пользуюсь]. [Пришлите, пожалуйста, на новую|Поменяйте на новую], она есть в кабинете.
o: Готово, {name}: новый адрес сохранён, счёт на {amount} [отправлен ещё раз|отправлен повторно] в {time}. [Загляните и в спам|Если не видно, проверьте спам].
c: [Вижу, пришёл|Есть, нашёлся]. До [какого числа|какого дня] надо оплатить, [чтобы не отключили|без пени]?
o: Оплатить нужно до {deadline}, [до этого пеня не начисляется|до этого дня пени нет]. [Быстрее всего через приложение|Можно картой в кабинете|Подойдёт и терминал].
# Неверная сумма в счёте
c: @hi в счёте за {month} стоит {total}, [хотя плачу всегда|а тариф стоит] {amount}. [Откуда разница?|Что туда добавили?|Объясните, пожалуйста, разницу.]
o: @hello [Распишу по строкам|Вот из чего сумма]: {amount} — тариф {plan}, остальное — [пакет спортивных каналов|антивирус|статический IP-адрес], подключённый {date}.
c: Я этого [не <заказывал|заказывала>|не <подключал|подключала>|не <просил|просила>]. [Никто не спрашивал|Сообщения не было], [отключите, пожалуйста|уберите] и [пересчитайте|сделайте перерасчёт].
o: @sorry. Это был [пробный месяц, ставший платным|бесплатный период, который продлился]. Услуга отключена, счёт [пересчитан|исправлен]: {amount}.
c: @thx. [Ждать новый счёт|Что-то ещё делать] или просто оплатить {amount}?
o: Просто оплатите {amount}: исправленный счёт [уже в кабинете|можно скачать сейчас] по договору {contract}.
# Оплата не зачислена
c: @hi {date} [<заплатил|заплатила> через терминал|<заплатил|заплатила> через банк|<платил|платила> на почте] {amount}, деньги [ушли|сняли], а баланс [всё ещё в минусе|не изменился].
o: @hello [Пришлите, пожалуйста,|Сфотографируйте, пожалуйста,] квитанцию или хотя бы [номер платежа|код операции] и точное время, тогда [найдём|сможем отследить].
c: [Вот|В квитанции]: {payment}, время {time}, договор {contract}... [ой|подождите], [кажется, одна цифра не та|могла быть ошибка в последней цифре].
o: [В этом и дело|Именно так]: из-за одной цифры платёж {payment} [попал на чужой договор|зачислен другому абоненту]. [Перенесли|Перекинули] его на {contract}, всё в порядке.
c: [Ого, как быстро|Вот это скорость]. То есть [сегодня не отключат|интернет не пропадёт]?
o: [Нет|Нет, не переживайте|Конечно, нет], баланс снова положительный, услуга оплачена до {deadline}.
# Сменить карту для автоплатежа
c: @hi у моей карты *{last4} [заканчивается срок|в этом месяце истекает срок|банк сменил номер]. Как [сменить карту|добавить новую карту] для автоплатежа?
o: @hello Откройте кабинет, раздел [«Оплата»|«Способы оплаты»], нажмите [«Убрать»|«Удалить»] возле *{last4} и добавьте новую. [Это минута|Для проверки спишется гривна и сразу вернётся].
c: [Не даёт|Кнопка серая], пишет, что [платёж выполняется|есть незавершённый платёж] от {date}.
o: Вижу: попытка от {date} [зависла|застряла], потому что банк [отклонил старую карту|отказал]. [Отменили|Сняли] её на договоре {contract}, попробуйте ещё раз.
c: [Теперь получилось|Добавилась|Новая карта есть]. Когда [спишутся|снимут] следующие {amount}?
o: {deadline}, {name}. Накануне [придёт сообщение|напомним], а автоплатёж можно [выключить|отменить] когда угодно.
# Возврат остатка после расторжения
c: @hi {date} я [<расторг|расторгла>|<закрыл|закрыла>] договор {contract}, на балансе осталось {amount}. Как [вернуть|забрать] эти деньги?
o: @hello Остаток [возвращаем|выплачиваем] на банковский счёт на ваше имя. Нужны [короткое заявление|подписанное заявление] и IBAN.
c: Можно ли [онлайн|без визита в офис]? Я [уже за границей|живу в другом городе].
o: @yes: форма отправлена на {email}, [подпишите электронной подписью|хватит фото подписанной страницы] и пришлите IBAN. Номер {request}.
c: [Отправлено|Всё <отправил|отправила>|<Отправил|Отправила>], IBAN заканчивается на {last4}. [Сколько ждать|Это надолго]?
o: [Получили|Всё пришло], спасибо. {amount} [перечислим|будут на счёте] до {deadline}.
# Обещанный платёж
c: @hi задержали зарплату, не могу заплатить {amount} [до конца недели|раньше {deadline}]. [Не отключайте, пожалуйста|Оставьте интернет], я [работаю из дома|веду уроки онлайн].
o: @hello Есть обещанный платёж: услуга [работает|не отключается] пять дней, а {amount} [платите|нужно внести] до {deadline}. [Включить|Подключить]?
c: Да, пожалуйста. Это [платно|что-то стоит]? И [как часто|сколько раз] можно?
o: Стоит {fee}, доступно раз в месяц. [Включено|Активировано] для договора {contract} сегодня с {time}.
c: [Вы меня спасли|Гора с плеч]! @thx!
# Справка об оплатах
c: @hi мне нужна справка обо всех оплатах за прошлый год [для субсидии|для налоговой|для работодателя], договор {contract}.
o: @hello [Подготовим|Сделаем] справку за любой период. Вам [с печатью|с живой подписью] или [достаточно электронной|хватит PDF]?
c: [С печатью, пожалуйста|Лучше с печатью]. Подать нужно до {deadline}.
o: Справка готова: {total} двенадцатью платежами. PDF с печатью [отправлен|уже летит] на {email}, номер {request}.
c: [Мелочь|Есть одна ошибка]: в фамилии [лишняя буква|не та буква], [в паспорте иначе|не как в паспорте]. [Исправите|Можно исправить]?
o: Конечно, {name}. Исправили и [отправили ещё раз|отправили повторно] в {time}. [Старую справку считайте недействительной|Старую, пожалуйста, удалите].
# Не начислили бонус
c: @hi {date} [<пополнил|пополнила> счёт на {total}|<заплатил|заплатила> {total} вперёд] по акции [«Плюс десять процентов»|«Десять процентов назад»], а бонус [не пришёл|так и не начислили].
o: @hello Бонус [зачисляется|приходит] на десятый день, если платили [картой|в приложении]. Как [именно|вы] платили?
c: [В приложении|Картой в приложении], где-то в {time}. [Есть снимок экрана с условиями|Сохранилось промописьмо].
o: @looked: платёж подходит, но бонус [завис|застрял], потому что на договоре {contract} были две акции сразу. [Начислен вручную|Добавлен вручную].
c: [Вижу, есть|Уже видно]. А он [сгорает|имеет срок]?
o: Бонус [действует|годен] девяносто дней и [тратится первым|первым идёт на оплату], {name}.
# Почему подорожал тариф
c: @hi [с этого месяца|с первого числа] плачу {amount}, хотя годами было меньше. [Никто не предупредил|Никакого письма не было]. Почему?
o: @hello Цена тарифа {plan} изменилась {date}; письмо отправляли на {email} [за месяц|за тридцать дней]. [Понимаю, приятного мало|Понимаю ваше недовольство].
c: [Не <видел|видела> этого письма|<Пропустил|Пропустила> это письмо]. Есть что-то [дешевле|со скидкой для давних клиентов]? Я с вами [шесть|восемь|девять] лет.
o: Для клиентов со стажем больше пяти лет есть {planNew} за {amount}, [скорость та же|скорость не изменится]. Можно [включить|перейти] с {next}.
c: @ok, [переведите|тогда перейдём], пожалуйста. [Переход бесплатный|За переход не платить]?
o: [Да, бесплатно|Никаких доплат]. Заявка {request} [принята|зарегистрирована], {next} придёт сообщение.
`
}
