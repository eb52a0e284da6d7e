// What a started service says on standard output: where it is, who may log in, and a line that returns a pack.
import { version } from "@rapport/contract/Version.ts"
import { DEMO_PASSWORD, demoQueries } from "@rapport/demo/Company.ts"

interface StartFacts {
  /** `http://HOST:PORT` of the listener. */
  readonly origin: string
  /** Logins that take the demo password. */
  readonly demoLogins: ReadonlyArray<string>
}

/** One log line for all migrations that ran. */
export const migratedText = (ran: ReadonlyArray<readonly [id: number, name: string]>): string => {
  const [id, name] = ran.at(-1) ?? []
  return `migrated the database: ${ran.length} ${ran.length === 1 ? "migration" : "migrations"}, the last is ${id} ${name}`
}

/** The text for people; contract §11. */
export const startText = ({ demoLogins, origin }: StartFacts): string =>
  [
    `Rapport ${version}`,
    "",
    `  service            ${origin}`,
    `  API documentation  ${origin}/api-docs`,
    `  OpenAPI document   ${origin}/swagger.json`,
    "",
    ...(demoLogins.length === 0 ? [] : demoText({ demoLogins, origin }))
  ].join("\n")

/** The same for programs: the one document of `serve --json`. */
export const startDocument = ({ demoLogins, origin }: StartFacts): string =>
  JSON.stringify({
    version,
    service: origin,
    apiDocs: `${origin}/api-docs`,
    openApi: `${origin}/swagger.json`,
    demoLogins
  })

const demoText = ({ demoLogins: logins, origin }: StartFacts): ReadonlyArray<string> => [
  `Demo logins, password ${DEMO_PASSWORD}:`,
  ...lines(logins, 100).map((line) => `  ${line}`),
  "",
  `A client's phone, where calls of bots arrive: ${origin}/demo/phone`,
  "",
  "A context pack, from the command line:",
  "",
  packCommand(origin, logins.includes("operator") ? "operator" : (logins[0] ?? "operator")),
  ""
]

/** One shell line: logs in, asks for what is known about client 501, prints it readable; needs curl and Node alone. */
const packCommand = (origin: string, login: string): string => {
  const json = "-H 'content-type: application/json'"
  const credentials = JSON.stringify({ login, password: DEMO_PASSWORD })
  const token = `$(curl -s ${origin}/kw/api/v1/auth/login ${json} -d '${credentials}' | sed 's/.*"accessToken":"\\([^"]*\\)".*/\\1/')`
  const request = JSON.stringify({
    scope: { entity: "client", id: 501 },
    targets: ["previous_client_appeals", "relevant_appeals"],
    query: demoQueries.uk.query
  })
  const readable = `node -e 'process.stdin.setEncoding("utf8").toArray().then((t) => console.log(JSON.stringify(JSON.parse(t.join("")), null, 2)))'`
  return `curl -s ${origin}/kw/chatrooms/context/retrieve ${json} -H "authorization: Bearer ${token}" -d '${request}' | ${readable}`
}

const lines = (words: ReadonlyArray<string>, width: number): ReadonlyArray<string> =>
  words.reduce<ReadonlyArray<string>>((made, word) => {
    const last = made.at(-1)
    return last === undefined || last.length + word.length + 2 > width
      ? [...made, word]
      : [...made.slice(0, -1), `${last}, ${word}`]
  }, [])
