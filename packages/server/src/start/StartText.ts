// The text that a started service prints on standard output: its addresses, the demo logins and a command that reads a pack.
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
  return `migrated the database to version ${id} (${name})`
}

/** The text for people; contract §11. */
export const startText = ({ demoLogins, origin }: StartFacts): string =>
  [
    "",
    `Rapport ${version} is ready.`,
    "",
    ...rows([
      ["Service", origin],
      ["API documentation", `${origin}/api-docs`],
      ["OpenAPI document", `${origin}/swagger.json`],
      ...(demoLogins.length === 0 ? [] : [["Phone of a client", `${origin}/demo/phone`] as const])
    ]),
    "",
    ...(demoLogins.length === 0 ? [] : demoText(demoLogins, origin))
  ].join("\n")

/** The same for programs: the document of `serve --json`. */
export const startDocument = ({ demoLogins, origin }: StartFacts): string =>
  JSON.stringify({
    version,
    service: origin,
    apiDocs: `${origin}/api-docs`,
    openApi: `${origin}/swagger.json`,
    demoLogins
  })

const rows = (pairs: ReadonlyArray<readonly [name: string, value: string]>): ReadonlyArray<string> =>
  pairs.map(([name, value]) => `  ${name.padEnd(19)}${value}`)

const demoText = (logins: ReadonlyArray<string>, origin: string): ReadonlyArray<string> => [
  `Demo logins, all with the password ${DEMO_PASSWORD}:`,
  `  ${logins.join(", ")}`,
  "",
  "Paste this into another terminal to read a first context pack:",
  "",
  packCommand(origin, logins.includes("operator") ? "operator" : (logins[0] ?? "operator")),
  ""
]

/** A shell command that logs in and reads a pack as Markdown. Needs only curl and sed. */
const packCommand = (origin: string, login: string): string => {
  const json = "-H 'content-type: application/json'"
  const credentials = JSON.stringify({ login, password: DEMO_PASSWORD })
  const request = JSON.stringify({
    scope: { entity: "client", id: 501 },
    targets: ["previous_client_appeals", "relevant_appeals"],
    query: demoQueries.uk.query,
    topK: 3
  })
  return [
    `TOKEN=$(curl -s ${origin}/kw/api/v1/auth/login ${json} \\`,
    `  -d '${credentials}' | sed 's/.*"accessToken":"\\([^"]*\\)".*/\\1/'); \\`,
    `curl -s ${origin}/kw/chatrooms/context/retrieve -H "authorization: Bearer $TOKEN" \\`,
    `  -H 'accept: text/markdown' ${json} \\`,
    `  -d '${request}'`
  ].join("\n")
}
