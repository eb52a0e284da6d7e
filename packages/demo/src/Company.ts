// The two companies of the demo data: instances, users of every role, subjects and skill groups.
import type { Gender } from "./Phrase.ts"
import data from "./data/company.json" with { type: "json" }
import {
  type InstanceRow,
  type Language,
  oneOf,
  type Role,
  roles,
  type SkillGroupRow,
  type SubjectRow,
  type UserRow
} from "./SeedRows.ts"

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

/** A user who left the company: blocked, and only in old appeals. */
const LEFT_USER = 35

/** An invited user. Nothing of the demo belongs to them. */
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

const usersOf = (instanceId: number) => data.users.filter(({ id }) => instanceOf(id) === instanceId)

export const staff = (instanceId: number): ReadonlyArray<Staff> =>
  usersOf(instanceId)
    .filter(({ id }) => id !== INVITED_USER)
    .map(({ firstName, gender, groupIds, id, lastName, role }) => ({
      id,
      fullName: `${firstName} ${lastName}`,
      gender: oneOf(["m", "f"], gender),
      role: oneOf(roles, role),
      groupIds,
      left: id === LEFT_USER
    }))

export const users = (instanceId: number, createdAt: number): ReadonlyArray<UserRow> =>
  usersOf(instanceId).map(({ firstName, id, lastName, login, role }) => ({
    instanceId,
    id,
    login,
    email: `${login.replace("leleka.", "")}@${companies[instanceId - 1]?.mailDomain ?? "example.com"}`,
    firstName,
    lastName,
    roles: [oneOf(roles, role)],
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

export interface Subject {
  readonly id: number
  readonly alias: string
  readonly parentId: number | null
  readonly names: Readonly<Record<Language, string>>
}

export const subjectList = (instanceId: number): ReadonlyArray<Subject> =>
  data.subjects.filter(({ id }) => (id > 20 ? 2 : 1) === instanceId)

export const subjects = (instanceId: number): ReadonlyArray<SubjectRow> =>
  subjectList(instanceId).map(({ alias, id, names, parentId }) => ({
    instanceId,
    id,
    name: names.en,
    alias,
    parentId,
    active: true
  }))

export const skillGroups = (instanceId: number): ReadonlyArray<SkillGroupRow> =>
  data.skillGroups
    .filter((group) => group.instanceId === instanceId)
    .map(({ id, name, subjectIds }) => ({
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
