// Common passwords: from public lists of leaked passwords, and words that fit this product, the keyboard and its languages. The list is
// short because failed logins are limited.
const words = `
00000000 000000000 0000000000 0123456789 0987654321 11111111 111111111 1111111111 11223344 1122334455 12121212
123123123 123321123 12344321 1234512345 123454321 123456123456 12345678 123456789 1234567890 12345678910
12345qwert 1234qwer 123qwe123 123qweasd 147258369 159357159 1a2b3c4d 1q2w3e4r 1q2w3e4r5t 1q2w3e4r5t6y 1qaz2wsx
1qaz2wsx3edc 22222222 33333333 55555555 66666666 741852963 77777777 789456123 87654321 88888888 987654321
9876543210 99999999 a1234567 a12345678 a123456789 a1b2c3d4 aa123456 aaaaaaaa abc12345 abc123456 abcd1234
abcdefg1 abcdefgh admin123 admin123! admin1234 admin12345 adminadmin administrator alexander alexandra
andrey123 asdasdasd asdf1234 asdfasdf asdfghjk asdfghjkl autumn2025 baseball baseball1 basketball batman123
blink182 callcenter changeit changeme changeme1 changeme123 charlie1 chelsea1 company1 company123 computer
computer1 correcthorse corvette danielle december default1 demo1234 dragon123 facebook facebook1 football
football1 freedom1 google123 guest123 guest1234 helpdesk iloveyou iloveyou1 iloveyou123 instagram internet
internet1 january1 jennifer jonathan kyiv2022 letmein1 letmein123 letmeinnow linkedin liverpool liverpool1
lubov123 manager1 manager123 manchester marina123 master123 maverick mercedes michelle microsoft monday123
monkey123 mypass123 mypassword nastya123 natasha1 newpass123 newpassword nopassword november operator
operator1 operator123 p@ssw0rd p@ssword pa55word pass1234 pass12345 passpass passw0rd password password!
password1 password1! password12 password123 password1234 passwort pokemon1 pokemon123 princess princess1
privet123 q1w2e3r4 q1w2e3r4t5 qazwsx123 qazwsxedc qwe123qwe qweasdzxc qweqweqwe qwerty1! qwerty12 qwerty123
qwerty1234 qwerty12345 qwerty123456 qwertyqwerty qwertyui qwertyuiop rapport1 rapport123 root1234 rootroot
samantha samsung1 samsung123 secret123 secret1234 september shadow123 slavaukraini spring2025 spring2026
starwars starwars1 summer2024 summer2025 summer2026 sunshine sunshine1 superman superman1 supersecret
superuser supervisor support1 support123 temp1234 temppass test1234 test12345 testing1 testing123 testtest
toortoor trustno1 ukraina1 ukraina2022 ukraine1 ukraine123 user1234 victoria welcome1 welcome1! welcome12
welcome123 welcome1234 whatever whatever1 whatsapp winter2024 winter2025 winter2026 yourpassword zaq12wsx
zxcvbnm1 zxcvbnm123 zxcvbnmm администратор адміністратор андрей123 зміните1 йцукен123 йцукен1234 йцукенгш
йцукенгшщ йцукенгшщз київ2022 коханий1 коханнячко люблютебя любовь123 мойпароль москва123 мійпароль наташа123
новийпароль новыйпароль оператор оператор1 оператор123 пароль12 пароль123 пароль1234 парольпароль привет12
привет123 привіт123 секрет123 сергей123 славаукраїні солнышко солнышко1 сонечко1 сонечко123 тест1234 украина1
украина123 україна1 україна123 фывапрол фывапролд фывафыва ячсмитьб`

const common: ReadonlySet<string> = new Set(words.trim().split(/\s+/u))

/** Without regard to case; of every length that a password may have. */
export const isCommonPassword = (password: string): boolean => common.has(password.toLowerCase())
