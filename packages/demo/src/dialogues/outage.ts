// Outages: dialogue plans about no internet, damaged cables, power cuts and planned works (form: see DialoguePlan.ts).
import type { SubjectDialogues } from "../DialoguePlan.ts"

export const outage: SubjectDialogues = {
  en: `
# No internet since the morning
c: @hi the internet [has been down|is dead|disappeared] since {time}, [the whole flat is offline|nothing loads|I cannot work]. Address: {address}.
o: @hello [Which lights are on|What do the lights show] on the router? I mean [the one marked PON or WAN|the WAN light], is it green or red?
c: It is [red|blinking red|not lit at all]. I [restarted it twice|unplugged it and waited|tried to switch it off and on].
o: Then the signal does not reach you. There is [an accident on the line|a damaged cable] at {street}, the crew [has been working since {time}|is already there], request {request}.
c: @ok, and when [will it be back|can I expect it]? [I have a call at {time}|My children have online lessons].
o: We expect it back by {time} today. {name}, I will [add a day to your contract {contract}|recalculate this day on contract {contract}] for the downtime.
# Cable cut in the stairwell
c: @hi [workers drilled in the hallway|there were repairs on our floor] and now your cable is [cut|hanging torn] near our door, {address}. No internet of course.
o: @hello [please do not touch the ends|please leave the cable as it is]. Could you send [a photo|a picture] so that the fitter brings [enough cable|the right connectors]?
c: Sent. It is the [black|white thin|grey] one above the meter box. [Who pays for that|Do I pay for the repair]?
o: [Nothing to pay|It costs you nothing]: the cable in the hallway is ours. A fitter can come on {next} between {window}, request {request}.
c: [Is it possible today|Nothing earlier]? [I work remotely|It is my only connection].
o: @dear one visit was cancelled, so he [can be with you today|will come today] between {window}. He will call {phone} beforehand.
# Internet disappears in the evening
c: @hi every evening [around|at about] {time} the connection [drops for ten minutes|breaks off|goes away for a while], [then comes back by itself|and then it works again]. It goes on since {date}.
o: @hello I see [eleven|fourteen|nine] breaks in the log of contract {contract}. Do they happen [at the same time|together with the neighbours'] or when [the microwave|some appliance] is on?
c: [The neighbours have it too|My neighbour complains as well|Everybody in the entrance has it]. [So it is not my router|My router {router} is new].
o: Then it is the switch in the house: it [overheats|restarts under load]. Its replacement is [planned|scheduled] for {next}, request {request}.
c: [Finally|Good to know]. Do I need to be at home [for that|on that day]?
o: @no, the work is in the basement. There will be a break of [half an hour|forty minutes] between {window}, then [the drops should stop|it must be stable].
# Internet during power cuts
c: @hi when the power is off, the internet [goes off too|vanishes], though my router runs from a [power bank|battery]. [Neighbours with another provider|Other people] stay online.
o: @hello what is connected at {address}: [a fibre into the flat|fibre] or a [copper cable|twisted pair]? [The type of line decides|It depends on that].
c: [Copper, I think|An ordinary network cable], from the box on the stairs.
o: Then the switch in the house has no power. We [are moving your house to fibre|rebuild the house with optical fibre], and it works for [eight to ten|up to twelve] hours without mains. You can be among the first on {next}.
c: What [does it cost|do I have to pay]? And is my {router} [suitable|good enough]?
o: The change is free on {plan}, the terminal costs {total} or {fee} a month. Your {router} [stays|can be used as before], request {request}.
# Planned works notice
c: @hi [I got a message|there is a notice] about works on {next} at night. [How long|For how many hours] will there be no connection at {address}?
o: @hello the works [on the trunk line|at the node] last from one to five in the morning, [breaks of up to an hour|two or three short breaks] are possible.
c: [I run a small server|I have cameras and an alarm] that must [stay online|not lose the connection]. Is there [a backup|some reserve channel]?
o: We can lend you a [4G modem|mobile router] with a SIM card for that night, {fee} including traffic. [Pick-up|You can get it] at {street} from {time}.
c: @ok, I take it. On which [name|contract] is it reserved?
o: It is reserved for you, {name}, under number {request}. [Return it|Please bring it back] by {deadline}.
# Websites do not open, messengers work
c: @hi [strange thing|something odd]: messengers work, but [most websites do not open|pages do not load], the error is [DNS server not responding|address not found].
o: @hello this looks like the name servers set in the device. Which addresses are written there, [automatic|obtained automatically] or your own?
c: [I set some years ago|A friend wrote something in there]... it is [a long row of digits|8 something]. The device is {device}.
o: @so please choose [obtain automatically|automatic] for DNS in the settings of {device}, then [switch Wi-Fi off and on|reconnect]. If it stays, restart {router}.
c: [Everything opens now|It works!|That was it]. Why did it [break today|happen only now]?
o: The server that stood there [was shut down|stopped answering] on {date}. With automatic settings [you always get ours|the right ones come from us], contract {contract}.
# Optical terminal blinks red
c: @hi the white box [by the door|under the ceiling] shows a red light named LOS since {time}, and [there is no internet or TV|nothing works].
o: @hello LOS means that no light arrives. Is the thin yellow [cable|patch cord] [bent|pinched by furniture|fully pushed in]?
c: [Oh, the cat|My son] [has chewed it|pulled it out], there is a [break|sharp bend] near the plug. [Can I glue it|What now]?
o: Fibre cannot be glued, it [is welded|needs a new plug]. The fitter comes on {next} between {window}; the work costs {fee}, request {request}.
c: @ok. [Will he bring a stronger cable|Can it be hidden in a box] this time?
o: @yes, I have written [armoured cable|a protective channel] into the job for {address}. {name}, he calls half an hour before.
# Whole house offline after a storm
c: @hi after [the storm|yesterday's thunderstorm|the heavy wind] the whole house {address} is offline. [Is anybody dealing with it|Do you know about it]?
o: @hello [yes, we know|yes], the line on the poles is [torn|down] near {street}, three houses are affected. The common number is {request}.
c: [How long|When do you think]? My mother's [alarm button|medical device] works over the internet.
o: I understand. The electricians [must switch off the line first|have to clear the tree first], we expect to finish by {time} on {next}. Until then I can give her a [mobile modem|4G router] for free.
c: [Please do|Yes, that would help a lot]. She lives in the same house, phone {phone}.
o: The courier brings it today between {window}, {name}. It needs [only a socket|no settings], and [we collect it later|it can be kept until the repair].
# Connected but no internet
c: @hi the laptop is [connected to the Wi-Fi|in the network], but it says [no internet|without internet access]. [Yesterday|Until {time}] it was fine.
o: @hello @looked. The session of {contract} is [closed|not up] since {time}: the router does not log in. Was it [reset|replaced] recently?
c: [I pressed the small button|I pushed reset with a needle] because it was slow... {router}.
o: That erased the settings. Open 192.168.0.1, choose PPPoE, the login is {contract} and I [send the password to {phone}|text the password to {phone}].
c: [Entered|Done, saved], now it says [connected|link is up]! And the Wi-Fi name is [different|the factory one], is that normal?
o: @yes, the name and the key are on the sticker now. You can [set the old ones|change them back] on the Wireless page, {name}.
# Compensation for downtime
c: @hi in {month} I had no internet for [four|five|three] days ({request} was the number), and the bill is [as if nothing happened|the full {amount}].
o: @hello [you are right to ask|that is a fair point]. Downtime longer than a day is compensated. The log of {contract} shows a break from {date} to {later}.
c: And how much [will it be|is that]? [It should be|I count] at least {fee}.
o: {fee} by the tariff, and I have [doubled it|added the same again] because the repair [was late|took longer than promised].
c: [Fair enough|That is kind]. Will I see it [in the next bill|on the balance]?
o: It is on the balance [already|since {time}], {name}. The next bill will be smaller by that sum.
`,
  uk: `
# Немає інтернету зранку
c: @hi з {time} [немає інтернету|зник інтернет|інтернет не працює], [уся квартира без зв'язку|нічого не вантажиться|не можу працювати]. Адреса: {address}.
o: @hello [Які лампочки світяться|Що показують індикатори] на роутері? [Цікавить PON або WAN|Головне — індикатор WAN]: зелений чи червоний?
c: [Червоний|Блимає червоним|Зовсім не світиться]. [Двічі перезавантажували|Вимикали з розетки й чекали|Пробували вимкнути й увімкнути].
o: Отже, сигнал до вас не доходить. [Аварія на лінії|Пошкоджено кабель] біля {street}, бригада [працює з {time}|вже на місці], заявка {request}.
c: @ok, а коли [відновлять|чекати]? [О {time} у мене нарада|У дітей уроки онлайн].
o: Плануємо відновити сьогодні до {time}. {name}, за простій [додам день до договору {contract}|зроблю перерахунок за договором {contract}].
# Перебили кабель у під'їзді
c: @hi [робітники свердлили в коридорі|на поверсі був ремонт], і тепер ваш кабель [перебитий|висить порваний] біля дверей, {address}. Інтернету, звісно, немає.
o: @hello [Не чіпайте, будь ласка, кінці|Залиште кабель як є]. [Зробіть, будь ласка, фото|Можете надіслати фото], щоб майстер узяв [досить кабелю|потрібні конектори]?
c: Надіслано. Той [чорний|білий тонкий|сірий], що над щитком. [Хто за це платить|Ремонт за мій рахунок]?
o: [Вам платити не треба|Для вас безкоштовно]: у під'їзді кабель наш. Майстер може бути {next} {window}, заявка {request}.
c: [А сьогодні ніяк|Раніше нічого немає]? [Працюю віддалено|Це єдиний мій зв'язок].
o: @dear один виклик скасували, тож майстер [встигне сьогодні|прийде сьогодні] {window}. Перед приїздом зателефонує на {phone}.
# Увечері зникає зв'язок
c: @hi щовечора [приблизно|десь] о {time} інтернет [пропадає хвилин на десять|обривається|зникає], [потім сам з'являється|а потім знову є]. Так триває з {date}.
o: @hello У журналі договору {contract} бачу [одинадцять|чотирнадцять|дев'ять] обривів. Вони бувають [в один час|разом із сусідами] чи коли вмикаєте [мікрохвильовку|якийсь прилад]?
c: [У сусідів так само|Сусідка теж скаржиться|У всьому під'їзді так]. [Тобто роутер ні до чого|А роутер {router} новий].
o: Тоді річ у будинковому комутаторі: він [перегрівається|перезапускається під навантаженням]. Заміну [заплановано|призначено] на {next}, заявка {request}.
c: [Нарешті|Добре знати]. Треба бути вдома [в цей час|того дня]?
o: @no, роботи в підвалі. Буде перерва на [пів години|сорок хвилин] у проміжку {window}, далі [обривів не має бути|має працювати рівно].
# Інтернет без світла
c: @hi коли вимикають світло, інтернет теж [пропадає|зникає], хоча роутер працює від [павербанка|акумулятора]. [У сусідів з іншим провайдером|В інших] усе є.
o: @hello Що заведено в квартиру за адресою {address}: [оптика|оптичний кабель] чи [вита пара|мідний кабель]? [Від цього все залежить|Тип лінії тут вирішує].
c: [Мабуть, мідний|Звичайний мережевий кабель], іде зі щитка на сходах.
o: Тоді без світла лишається комутатор у будинку. Ми [переводимо ваш будинок на оптику|тягнемо у ваш будинок оптику], вона тримається [вісім-десять|до дванадцяти] годин. Можемо [підключити вас|записати вас] на {next}.
c: [Скільки це коштує|Що треба платити]? І чи [підійде|годиться] мій {router}?
o: Перехід на тарифі {plan} безкоштовний, термінал — {total} або {fee} на місяць. {router} [лишається|працюватиме далі], заявка {request}.
# Планові роботи вночі
c: @hi [прийшло повідомлення|в під'їзді оголошення] про роботи {next} вночі. [На скільки годин|Чи надовго] не буде зв'язку за адресою {address}?
o: @hello Роботи [на магістралі|на вузлі] триватимуть з першої до п'ятої ночі, можливі [перерви до години|дві-три короткі перерви].
c: У мене [невеликий сервер|камери й сигналізація], їм [не можна без мережі|потрібен постійний зв'язок]. Є [резерв|запасний канал]?
o: Можемо дати на цю ніч [4G-модем|мобільний роутер] із карткою за {fee} разом із трафіком. [Забрати|Видаємо] за адресою {street}, з {time}.
c: @ok, беру. На [чиє ім'я|який договір] його записано?
o: Записано на вас, {name}, номер {request}. [Повернути|Віддати] потрібно до {deadline}.
# Сайти не відкриваються, месенджери є
c: @hi [дивна річ|щось дивне]: месенджери працюють, а [сайти не відкриваються|сторінки не вантажаться], пише [«DNS-сервер не відповідає»|«адресу не знайдено»].
o: @hello Схоже на сервери імен, прописані в пристрої. Які там адреси: [автоматичні|отримані автоматично] чи свої?
c: [Колись щось прописували|Знайомий щось налаштовував]... якісь [довгі цифри|вісімки]. Пристрій {device}.
o: @so виберіть, будь ласка, [«Отримати автоматично»|автоматичний DNS] у налаштуваннях {device} і [вимкніть та ввімкніть Wi-Fi|під'єднайтеся знову]. Якщо не допоможе, перезавантажте {router}.
c: [Усе відкривається|Запрацювало!|У цьому й була річ]. А чому [саме сьогодні|лише зараз]?
o: Сервер, що там стояв, [вимкнули|перестав відповідати] {date}. З автоматичними налаштуваннями [завжди будуть наші|ви отримаєте правильні], договір {contract}.
# Термінал блимає червоним
c: @hi біла коробочка [біля дверей|під стелею] з {time} світить червоним, напис LOS, [немає ні інтернету, ні ТБ|нічого не працює].
o: @hello LOS означає, що світло не доходить. Жовтий тонкий [кабель|шнур] не [перегнутий|притиснутий меблями|вийнятий]?
c: [Ой, це кіт|Мабуть, син] [перегриз|висмикнув], біля штекера [злам|перегин]. [А склеїти можна|І що тепер]?
o: Оптику не клеять, її [зварюють|заново обтискають]. Майстер прийде {next} {window}; робота коштує {fee}, заявка {request}.
c: @ok. А можна цього разу [міцніший кабель|сховати його в короб]?
o: @yes, у заявку для {address} записано [броньований кабель|захисний короб]. {name}, майстер зателефонує за пів години.
# Після бурі немає зв'язку в будинку
c: @hi після [бурі|вчорашньої грози|сильного вітру] весь будинок {address} без інтернету. [Хтось цим займається|Ви про це знаєте]?
o: @hello [Так, знаємо|Так], лінію на опорах [обірвано|повалено] біля {street}, без зв'язку три будинки. Спільна заявка {request}.
c: [Чи надовго|А коли полагодять]? У мами через інтернет працює [тривожна кнопка|медичний прилад].
o: Розумію. [Спершу енергетики мають вимкнути лінію|Спершу треба прибрати дерево], плануємо закінчити {next} до {time}. Доти дамо мамі [мобільний модем|4G-роутер] безкоштовно.
c: [Будь ласка|Так, це дуже допоможе]. Вона в тому ж будинку, телефон {phone}.
o: Кур'єр привезе сьогодні {window}, {name}. Потрібна [лише розетка|тільки розетка, без налаштувань], [потім заберемо|можна тримати до кінця ремонту].
# Wi-Fi є, а інтернету немає
c: @hi ноутбук [під'єднаний до Wi-Fi|бачить мережу], але пише [«без доступу до інтернету»|«немає інтернету»]. [Учора|До {time}] все було.
o: @hello @looked. Сесія {contract} [закрита|не піднята] з {time}: роутер не авторизується. Його не [скидали|міняли] останнім часом?
c: [Я <натиснув|натиснула> маленьку кнопку|Скинули голкою], бо працював повільно... {router}.
o: Через це стерлися налаштування. Відкрийте 192.168.0.1, виберіть PPPoE, логін {contract}, а пароль [надішлю на {phone}|прийде на {phone}].
c: [Увели|Усе, зберегли], тепер пише [«з'єднано»|«підключено»]! А назва Wi-Fi [інша|заводська], це нормально?
o: @yes, назва й ключ тепер із наліпки. [Повернути старі|Змінити їх] можна на сторінці «Бездротова мережа», {name}.
# Перерахунок за простій
c: @hi {monthIn} [чотири|п'ять|три] дні не було інтернету (заявка {request}), а рахунок [наче нічого й не було|повний, {amount}].
o: @hello [Слушне запитання|Маєте рацію]. Простій понад добу компенсуємо. У журналі {contract} перерва з {date} до {later}.
c: І скільки [це буде|вийде]? [Має бути|Я рахую] щонайменше {fee}.
o: За тарифом {fee}, і ще [стільки ж|таку саму суму] додаємо, бо ремонт [затягнувся|тривав довше, ніж обіцяли].
c: [Справедливо|Оце приємно]. Це буде [в наступному рахунку|на балансі]?
o: На балансі [вже є|видно з {time}], {name}. Наступний рахунок буде менший на цю суму.
`,
  ru: `
# Нет интернета с утра
c: @hi с {time} [нет интернета|пропал интернет|интернет не работает], [вся квартира без связи|ничего не грузится|не могу работать]. Адрес: {address}.
o: @hello [Какие лампочки горят|Что показывают индикаторы] на роутере? [Интересует PON или WAN|Главное — индикатор WAN]: зелёный или красный?
c: [Красный|Мигает красным|Совсем не горит]. [Дважды перезагружали|Выключали из розетки и ждали|Пробовали выключить и включить].
o: Значит, сигнал до вас не доходит. [Авария на линии|Повреждён кабель] возле {street}, бригада [работает с {time}|уже на месте], заявка {request}.
c: @ok, а когда [восстановят|ждать]? [В {time} у меня совещание|У детей уроки онлайн].
o: Планируем восстановить сегодня до {time}. {name}, за простой [добавлю день к договору {contract}|сделаю перерасчёт по договору {contract}].
# Перебили кабель в подъезде
c: @hi [рабочие сверлили в коридоре|на этаже был ремонт], и теперь ваш кабель [перебит|висит оборванный] у двери, {address}. Интернета, конечно, нет.
o: @hello [Не трогайте, пожалуйста, концы|Оставьте кабель как есть]. [Сделайте, пожалуйста, фото|Можете прислать фото], чтобы мастер взял [достаточно кабеля|нужные коннекторы]?
c: Отправлено. Тот [чёрный|белый тонкий|серый], что над щитком. [Кто за это платит|Ремонт за мой счёт]?
o: [Вам платить не нужно|Для вас бесплатно]: в подъезде кабель наш. Мастер может быть {next} {window}, заявка {request}.
c: [А сегодня никак|Раньше ничего нет]? [Работаю удалённо|Это моя единственная связь].
o: @dear один вызов отменили, так что мастер [успеет сегодня|придёт сегодня] {window}. Перед приездом позвонит на {phone}.
# Вечером пропадает связь
c: @hi каждый вечер [примерно|где-то] в {time} интернет [пропадает минут на десять|обрывается|исчезает], [потом сам появляется|а потом снова есть]. Так продолжается с {date}.
o: @hello В журнале договора {contract} вижу [одиннадцать|четырнадцать|девять] обрывов. Они бывают [в одно время|вместе с соседями] или когда включаете [микроволновку|какой-то прибор]?
c: [У соседей так же|Соседка тоже жалуется|Во всём подъезде так]. [То есть роутер ни при чём|А роутер {router} новый].
o: Тогда дело в домовом коммутаторе: он [перегревается|перезапускается под нагрузкой]. Замена [запланирована|назначена] на {next}, заявка {request}.
c: [Наконец-то|Хорошо знать]. Нужно быть дома [в это время|в тот день]?
o: @no, работы в подвале. Будет перерыв на [полчаса|сорок минут] в промежутке {window}, дальше [обрывов быть не должно|должно работать ровно].
# Интернет без света
c: @hi когда выключают свет, интернет тоже [пропадает|исчезает], хотя роутер работает от [повербанка|аккумулятора]. [У соседей с другим провайдером|У других] всё есть.
o: @hello Что заведено в квартиру по адресу {address}: [оптика|оптический кабель] или [витая пара|медный кабель]? [От этого всё зависит|Тип линии тут решает].
c: [Наверное, медный|Обычный сетевой кабель], идёт из щитка на лестнице.
o: Тогда без света остаётся коммутатор в доме. Мы [переводим ваш дом на оптику|тянем в ваш дом оптику], она держится [восемь-десять|до двенадцати] часов. Можем [подключить вас|записать вас] на {next}.
c: [Сколько это стоит|Что нужно платить]? И [подойдёт|годится] ли мой {router}?
o: Переход на тарифе {plan} бесплатный, терминал — {total} или {fee} в месяц. {router} [остаётся|будет работать дальше], заявка {request}.
# Плановые работы ночью
c: @hi [пришло сообщение|в подъезде объявление] о работах {next} ночью. [На сколько часов|Надолго ли] не будет связи по адресу {address}?
o: @hello Работы [на магистрали|на узле] продлятся с часу до пяти ночи, возможны [перерывы до часа|два-три коротких перерыва].
c: У меня [небольшой сервер|камеры и сигнализация], им [нельзя без сети|нужна постоянная связь]. Есть [резерв|запасной канал]?
o: Можем дать на эту ночь [4G-модем|мобильный роутер] с картой за {fee} вместе с трафиком. [Забрать|Выдаём] по адресу {street}, с {time}.
c: @ok, беру. На [чьё имя|какой договор] он записан?
o: Записан на вас, {name}, номер {request}. [Вернуть|Отдать] нужно до {deadline}.
# Сайты не открываются, мессенджеры есть
c: @hi [странная вещь|что-то странное]: мессенджеры работают, а [сайты не открываются|страницы не грузятся], пишет [«DNS-сервер не отвечает»|«адрес не найден»].
o: @hello Похоже на серверы имён, прописанные в устройстве. Какие там адреса: [автоматические|полученные автоматически] или свои?
c: [Когда-то что-то прописывали|Знакомый что-то настраивал]... какие-то [длинные цифры|восьмёрки]. Устройство {device}.
o: @so выберите, пожалуйста, [«Получить автоматически»|автоматический DNS] в настройках {device} и [выключите и включите Wi-Fi|подключитесь заново]. Если не поможет, перезагрузите {router}.
c: [Всё открывается|Заработало!|В этом и было дело]. А почему [именно сегодня|только сейчас]?
o: Сервер, который там стоял, [выключили|перестал отвечать] {date}. С автоматическими настройками [всегда будут наши|вы получите правильные], договор {contract}.
# Терминал мигает красным
c: @hi белая коробочка [у двери|под потолком] с {time} горит красным, надпись LOS, [нет ни интернета, ни ТВ|ничего не работает].
o: @hello LOS означает, что свет не доходит. Жёлтый тонкий [кабель|шнур] не [перегнут|прижат мебелью|вынут]?
c: [Ой, это кот|Наверное, сын] [перегрыз|выдернул], у штекера [излом|перегиб]. [А склеить можно|И что теперь]?
o: Оптику не клеят, её [сваривают|заново обжимают]. Мастер придёт {next} {window}; работа стоит {fee}, заявка {request}.
c: @ok. А можно в этот раз [кабель покрепче|спрятать его в короб]?
o: @yes, в заявку для {address} записан [бронированный кабель|защитный короб]. {name}, мастер позвонит за полчаса.
# После бури нет связи в доме
c: @hi после [бури|вчерашней грозы|сильного ветра] весь дом {address} без интернета. [Кто-то этим занимается|Вы об этом знаете]?
o: @hello [Да, знаем|Да], линия на опорах [оборвана|повалена] возле {street}, без связи три дома. Общая заявка {request}.
c: [Надолго ли|А когда починят]? У мамы через интернет работает [тревожная кнопка|медицинский прибор].
o: Понимаю. [Сначала энергетики должны отключить линию|Сначала нужно убрать дерево], планируем закончить {next} до {time}. До этого дадим маме [мобильный модем|4G-роутер] бесплатно.
c: [Пожалуйста|Да, это очень поможет]. Она в том же доме, телефон {phone}.
o: Курьер привезёт сегодня {window}, {name}. Нужна [только розетка|лишь розетка, без настроек], [потом заберём|можно держать до конца ремонта].
# Wi-Fi есть, а интернета нет
c: @hi ноутбук [подключён к Wi-Fi|видит сеть], но пишет [«без доступа к интернету»|«нет интернета»]. [Вчера|До {time}] всё было.
o: @hello @looked. Сессия {contract} [закрыта|не поднята] с {time}: роутер не авторизуется. Его не [сбрасывали|меняли] в последнее время?
c: [Я <нажал|нажала> маленькую кнопку|Сбросили иголкой], потому что работал медленно... {router}.
o: Из-за этого стёрлись настройки. Откройте 192.168.0.1, выберите PPPoE, логин {contract}, а пароль [отправлю на {phone}|придёт на {phone}].
c: [Ввели|Всё, сохранили], теперь пишет [«соединено»|«подключено»]! А название Wi-Fi [другое|заводское], это нормально?
o: @yes, название и ключ теперь с наклейки. [Вернуть старые|Поменять их] можно на странице «Беспроводная сеть», {name}.
# Перерасчёт за простой
c: @hi {monthIn} [четыре|пять|три] дня не было интернета (заявка {request}), а счёт [будто ничего и не было|полный, {amount}].
o: @hello [Справедливый вопрос|Вы правы]. Простой больше суток компенсируем. В журнале {contract} перерыв с {date} до {later}.
c: И сколько [это будет|выйдет]? [Должно быть|Я считаю] как минимум {fee}.
o: По тарифу {fee}, и ещё [столько же|такую же сумму] добавляем, потому что ремонт [затянулся|длился дольше, чем обещали].
c: [Справедливо|Вот это приятно]. Это будет [в следующем счёте|на балансе]?
o: На балансе [уже есть|видно с {time}], {name}. Следующий счёт будет меньше на эту сумму.
`
}
