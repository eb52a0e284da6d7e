// The two companies of the demo data: instances, users of every role, subjects and skill groups.
import data from "./data/company.json" with { type: "json" }
import { oneOf } from "./Literals.ts"

/** The password of the logins of contract §11. */
export const DEMO_PASSWORD = "rapport-demo"

/** Ids that contract §11 fixes for demo and small. */
export const fixedIds = {
  instance: 1,
  client: 501,
  longChatsClient: 502,
  foreignClient: 601,
  subject: 12,
  /** Appeals of client 502 with exactly that many messages. */
  longChats: { 9001: 1001, 9002: 1500, 9003: 5000, 9004: 6000 },
  quarantinedAppeal: 9005
} as const

export const { companies } = data
export type Company = (typeof companies)[number]

/** contract §11: one per role of instance 1, called like the role, and the administrator of instance 2. */
const hasDemoPassword = ({ login, role }: (typeof data.users)[number]): boolean =>
  login === role || login === "other.administrator"
export const demoLogins: ReadonlyArray<string> = data.users.filter(hasDemoPassword).map(({ login }) => login)

/** A user who left the company: blocked, and only in old appeals. */
const LEFT_USER = 35

/** An invited user. Nothing of the demo belongs to them. */
export const INVITED_USER = 36

const usersOf = (instanceId: number) => data.users.filter(({ id }) => (id > 40 ? 2 : 1) === instanceId)

export const staff = (instanceId: number) =>
  usersOf(instanceId)
    .filter(({ id }) => id !== INVITED_USER)
    .map(({ firstName, gender, groupIds, id, lastName, role }) => ({
      id,
      fullName: `${firstName} ${lastName}`,
      gender: oneOf(["m", "f"], gender),
      role,
      groupIds,
      left: id === LEFT_USER
    }))
export type Staff = ReturnType<typeof staff>[number]

const presenceOf = (id: number, role: string): string => {
  if (id === LEFT_USER || id === INVITED_USER || role === "analyst") return "offline"
  return id % 4 === 2 ? "away" : id % 5 === 4 ? "offline" : "online"
}

export const users = ({ instance, mailDomain }: Company, createdAt: number) =>
  usersOf(instance.id).map((user) => {
    const { firstName, id, lastName, login, role } = user
    return {
      instanceId: instance.id,
      id,
      login,
      email: `${login.replace("leleka.", "")}@${mailDomain}`,
      firstName,
      lastName,
      roles: [role],
      status: id === LEFT_USER ? "blocked" : id === INVITED_USER ? "invited" : "active",
      presence: presenceOf(id, role),
      capacity: role === "operator" ? 4 + (id % 4) * 2 : null,
      language: id % 7 === 1 ? "ru" : /^[a-z]/iu.test(firstName) ? "en" : "uk",
      timezone: "Europe/Kyiv",
      hasDemoPassword: hasDemoPassword(user),
      createdAt
    }
  })

export const subjectList = (instanceId: number) =>
  data.subjects.filter(({ id }) => (id > 20 ? 2 : 1) === instanceId)
export type Subject = ReturnType<typeof subjectList>[number]

export const subjects = (instanceId: number) =>
  subjectList(instanceId).map(({ names, ...subject }) => ({
    instanceId,
    ...subject,
    name: names.en,
    active: true
  }))

export const skillGroups = (instanceId: number) =>
  data.skillGroups
    .filter((group) => group.instanceId === instanceId)
    .map((group) => ({
      ...group,
      active: true,
      memberIds: staff(instanceId).flatMap((user) => (user.groupIds.includes(group.id) ? [user.id] : []))
    }))

/** Two questions that find different appeals of client 501, and of subject 12, in the demo data. */
export const demoQueries = {
  uk: { query: "двічі списали гроші з картки", finds: 9006 },
  en: { query: "invoice with company VAT number for accounting", finds: 9007 }
} as const
