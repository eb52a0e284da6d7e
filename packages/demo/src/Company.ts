// The two companies of the demo data: instances, users of every role, subjects and skill groups.
import type { Gender } from "./Phrase.ts"
import type { InstanceRow, Language, Role, SkillGroupRow, SubjectRow, UserRow } from "./SeedRows.ts"

/** The password of the logins of contract §11. */
export const DEMO_PASSWORD = "rapport-demo"

/** Ids that contract §11 fixes for demo and small. */
export const fixedIds = {
  instance: 1,
  otherInstance: 2,
  client: 501,
  longChatsClient: 502,
  foreignClient: 601,
  subject: 12,
  skillGroup: 3,
  operator: 31,
  /** Appeals of client 502 with exactly that many messages. */
  longChats: { 9001: 1001, 9002: 1500, 9003: 5000, 9004: 6000 },
  quarantinedAppeal: 9005,
  /** Appeals of client 501. */
  clientAppeals: { first: 9006, last: 9025 },
  otherSubjects: { orders: 21, delivery: 22, returns: 23 }
} as const

export interface Company {
  readonly instance: InstanceRow
  /** How the company is called in its dialogues. */
  readonly brand: string
  readonly contractPrefix: string
  readonly mailDomain: string
}

export const companies: ReadonlyArray<Company> = [
  {
    instance: { id: 1, name: "Verba Telecom" },
    brand: "Verba",
    contractPrefix: "VB",
    mailDomain: "verba.example"
  },
  {
    instance: { id: 2, name: "Leleka Store" },
    brand: "Leleka",
    contractPrefix: "LS",
    mailDomain: "leleka.example"
  }
]

type UserLine = readonly [
  id: number,
  login: string,
  first: string,
  last: string,
  gender: Gender,
  role: Role,
  groups: string
]

// The logins of contract §11 first; then those who only fill the rooms. Groups: skill group ids.
const userLines: ReadonlyArray<UserLine> = [
  [11, "administrator", "Орест", "Левицький", "m", "administrator", ""],
  [12, "supervisor", "Ірина", "Гайдук", "f", "supervisor", "3"],
  [13, "light_agent", "Павло", "Стецюк", "m", "light_agent", "3"],
  [14, "integrator", "Mark", "Bennett", "m", "integrator", ""],
  [15, "analyst", "Анна", "Белова", "f", "analyst", ""],
  [16, "qa_lead", "Соломія", "Дячук", "f", "qa_lead", ""],
  [17, "qa_specialist", "Тимур", "Аблаєв", "m", "qa_specialist", ""],
  [18, "o.tarasenko", "Олег", "Тарасенко", "m", "supervisor", "1"],
  [19, "h.marchenko", "Галина", "Марченко", "f", "supervisor", "2"],
  [20, "v.kozak", "Василь", "Козак", "m", "operator", "1"],
  [21, "d.soroka", "Дарина", "Сорока", "f", "operator", "1"],
  [22, "a.nikitin", "Артём", "Никитин", "m", "operator", "1"],
  [23, "y.melnyk", "Юлія", "Мельник", "f", "operator", "1"],
  [24, "n.hrytsenko", "Назар", "Гриценко", "m", "operator", "1"],
  [25, "k.demianenko", "Катерина", "Дем'яненко", "f", "operator", "1,2"],
  [26, "m.orlova", "Марина", "Орлова", "f", "operator", "2"],
  [27, "t.bondar", "Тарас", "Бондар", "m", "operator", "2"],
  [28, "l.kravets", "Леся", "Кравець", "f", "operator", "3"],
  [29, "s.yurchenko", "Сергій", "Юрченко", "m", "operator", "3"],
  [30, "e.walker", "Emma", "Walker", "f", "operator", "2,3"],
  [31, "operator", "Оксана", "Лук'яненко", "f", "operator", "3"],
  [32, "i.shapoval", "Ігор", "Шаповал", "m", "operator", "1"],
  [33, "z.romaniuk", "Зоряна", "Романюк", "f", "operator", "2"],
  [34, "d.foster", "Daniel", "Foster", "m", "operator", "1,3"],
  [35, "v.pavlenko", "Віктор", "Павленко", "m", "operator", "1,2"],
  [41, "other.administrator", "Надія", "Ткач", "f", "administrator", ""],
  [42, "leleka.ihor", "Ігор", "Сич", "m", "operator", "4"],
  [43, "leleka.alla", "Алла", "Журба", "f", "operator", "4"],
  [44, "leleka.roman", "Роман", "Чиж", "m", "supervisor", "4"]
]

const invitedLine: UserLine = [36, "m.levchenko", "Максим", "Левченко", "m", "operator", ""]

/** contract §11: one per role of instance 1, called like the role, and the administrator of instance 2. */
export const demoLogins = [
  "administrator",
  "supervisor",
  "operator",
  "light_agent",
  "integrator",
  "analyst",
  "qa_lead",
  "qa_specialist",
  "other.administrator"
] as const
const isDemoLogin: ReadonlySet<string> = new Set(demoLogins)

/** Who left the company: blocked, and takes part in old appeals only. */
const LEFT_USER = 35

/** Who is invited and has not come yet: no part of the staff, so that nothing of the demo is theirs. */
export const INVITED_USER = 36

const instanceOf = (userId: number): number => (userId > 40 ? 2 : 1)

export interface Staff {
  readonly id: number
  readonly fullName: string
  readonly gender: Gender
  readonly role: Role
  readonly groupIds: ReadonlyArray<number>
  readonly left: boolean
}

const groupIdsOf = (groups: string): ReadonlyArray<number> =>
  groups === "" ? [] : groups.split(",").map(Number)

export const staff = (instanceId: number): ReadonlyArray<Staff> =>
  userLines
    .filter(([id]) => instanceOf(id) === instanceId)
    .map(([id, , first, last, gender, role, groups]) => ({
      id,
      fullName: `${first} ${last}`,
      gender,
      role,
      groupIds: groupIdsOf(groups),
      left: id === LEFT_USER
    }))

export const users = (instanceId: number, createdAt: number): ReadonlyArray<UserRow> =>
  [...userLines, invitedLine]
    .filter(([id]) => instanceOf(id) === instanceId)
    .map(([id, login, firstName, lastName, , role]) => ({
      instanceId,
      id,
      login,
      email: `${login.replace("leleka.", "")}@${companies[instanceId - 1]?.mailDomain ?? "example.com"}`,
      firstName,
      lastName,
      roles: [role],
      status: id === LEFT_USER ? "blocked" : id === INVITED_USER ? "invited" : "active",
      presence:
        id === LEFT_USER || id === INVITED_USER || role === "analyst"
          ? "offline"
          : id % 4 === 2
            ? "away"
            : id % 5 === 4
              ? "offline"
              : "online",
      capacity: role === "operator" ? 4 + (id % 4) * 2 : null,
      language: id % 7 === 1 ? "ru" : /^[a-z]/iu.test(firstName) ? "en" : "uk",
      timezone: "Europe/Kyiv",
      hasDemoPassword: isDemoLogin.has(login),
      createdAt
    }))

type SubjectLine = readonly [
  id: number,
  alias: string,
  parentId: number | null,
  en: string,
  uk: string,
  ru: string
]

const subjectLines: ReadonlyArray<SubjectLine> = [
  [1, "internet", null, "Internet connection", "Підключення інтернету", "Подключение интернета"],
  [2, "speed", 1, "Speed and Wi-Fi", "Швидкість і Wi-Fi", "Скорость и Wi-Fi"],
  [3, "outage", 1, "Outages", "Аварії та зникнення зв'язку", "Аварии и пропадание связи"],
  [4, "mobile", null, "Mobile", "Мобільний зв'язок", "Мобильная связь"],
  [5, "television", null, "Television", "Телебачення", "Телевидение"],
  [6, "equipment", null, "Equipment", "Обладнання", "Оборудование"],
  [7, "orders", null, "Shop orders", "Замовлення в магазині", "Заказы в магазине"],
  [8, "delivery", 7, "Delivery", "Доставка", "Доставка"],
  [9, "returns", 7, "Returns and warranty", "Повернення та гарантія", "Возврат и гарантия"],
  [10, "account", null, "Account and access", "Кабінет і доступ", "Кабинет и доступ"],
  [11, "tariffs", null, "Tariffs and contracts", "Тарифи та договори", "Тарифы и договоры"],
  [12, "billing", null, "Billing", "Рахунки та оплата", "Счета и оплата"],
  [21, "orders", null, "Orders", "Замовлення", "Заказы"],
  [22, "delivery", 21, "Delivery", "Доставка", "Доставка"],
  [23, "returns", 21, "Returns", "Повернення", "Возвраты"]
]

export interface Subject {
  readonly id: number
  readonly alias: string
  readonly names: Readonly<Record<Language, string>>
}

const linesOf = (instanceId: number) => subjectLines.filter(([id]) => (id > 20 ? 2 : 1) === instanceId)

export const subjectList = (instanceId: number): ReadonlyArray<Subject> =>
  linesOf(instanceId).map(([id, alias, , en, uk, ru]) => ({ id, alias, names: { en, uk, ru } }))

export const subjects = (instanceId: number): ReadonlyArray<SubjectRow> =>
  linesOf(instanceId).map(([id, alias, parentId, name]) => ({
    instanceId,
    id,
    name,
    alias,
    parentId,
    active: true
  }))

const groupLines: ReadonlyArray<
  readonly [id: number, instanceId: number, name: string, subjectIds: ReadonlyArray<number>]
> = [
  [1, 1, "Technical support", [1, 2, 3, 4, 5, 6]],
  [2, 1, "Web shop", [6, 7, 8, 9]],
  [3, 1, "Billing and contracts", [10, 11, 12]],
  [4, 2, "Store", [21, 22, 23]]
]

export const skillGroups = (instanceId: number): ReadonlyArray<SkillGroupRow> =>
  groupLines
    .filter((line) => line[1] === instanceId)
    .map(([id, , name, subjectIds]) => ({
      instanceId,
      id,
      name,
      active: true,
      subjectIds,
      memberIds: staff(instanceId).flatMap((user) => (user.groupIds.includes(id) ? [user.id] : []))
    }))

/** Two questions that find different appeals of client 501, and of subject 12, in the demo data. */
export const demoQueries = {
  uk: { query: "двічі списали гроші з картки", finds: 9006 },
  en: { query: "invoice with company VAT number for accounting", finds: 9007 }
} as const
