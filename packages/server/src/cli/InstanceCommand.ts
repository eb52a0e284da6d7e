// `rapport instance`: creates, lists and switches instances (contract §3.4).
import { Instances } from "@rapport/core/access/Instances.ts"
import { Effect, Redacted } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { Config } from "../Config.ts"
import { onDatabaseWith } from "./CommandDatabase.ts"
import { instancesLayer } from "../wiring/Instances.ts"
import { idArgument } from "./Flags.ts"
import { print, table } from "./Output.ts"
import { generatePassword, shownOnce } from "./Passwords.ts"

const onStores = onDatabaseWith(instancesLayer)

const create = Command.make(
  "create",
  {
    name: Flag.String("name").pipe(Flag.withDescription("Name of the instance")),
    adminLogin: Flag.String("admin-login").pipe(Flag.withDescription("Login name of its administrator"))
  },
  Effect.fnUntraced(function* ({ adminLogin, name }) {
    const given = (yield* Config).settings.adminPassword
    const adminPassword = given ?? (yield* generatePassword)
    const { administratorId, instanceId } = yield* (yield* Instances).create({
      name,
      adminLogin,
      adminPassword
    })
    const shown = given === undefined ? Redacted.value(adminPassword) : null
    const text = [
      `instance ${instanceId} "${name}" is created; its administrator is ${adminLogin} (user ${administratorId})`,
      ...shownOnce(shown)
    ].join("\n")
    yield* print({ id: instanceId, name, administratorId, adminLogin, adminPassword: shown }, text)
  }, onStores)
).pipe(
  Command.withDescription(
    "Create an instance and its administrator, with the password of RAPPORT_ADMIN_PASSWORD or a generated one"
  ),
  Command.withExamples([{ command: 'rapport instance create --name "Verba" --admin-login olena' }])
)

const list = Command.make(
  "list",
  {},
  Effect.fnUntraced(function* () {
    const instances = (yield* (yield* Instances).list).map(
      ({ capabilityEnabled, contextStoreReady, createdAt, id, name }) => ({
        id,
        name,
        enabled: capabilityEnabled,
        contextStoreReady,
        createdAt: new Date(createdAt)
      })
    )
    const rows = instances.map((i) => [i.id, i.enabled ? "enabled" : "disabled", i.createdAt, i.name])
    yield* print(instances, table(["ID", "CAPABILITY", "CREATED", "NAME"], rows))
  }, onStores)
).pipe(Command.withDescription("List the instances"))

const id = idArgument("Id of the instance")
const makeSwitchCommand = (name: "enable" | "disable", enabled: boolean) =>
  Command.make(
    name,
    { id },
    Effect.fnUntraced(function* ({ id }) {
      yield* (yield* Instances).setCapability(id, enabled)
      yield* print({ id, enabled }, `instance ${id} is ${name}d`)
    }, onStores)
  ).pipe(
    Command.withDescription(`${enabled ? "Switch on" : "Switch off"} the context capability of an instance`)
  )

const phoneCountry = Command.make(
  "phone-country",
  {
    id,
    country: Argument.String("country").pipe(
      Argument.withDescription("Code of ISO 3166-1, such as UA; a new instance has UA")
    )
  },
  Effect.fnUntraced(function* ({ country, id }) {
    yield* (yield* Instances).setPhoneCountry(id, country)
    yield* print({ id, phoneCountry: country }, `national phones of instance ${id} are of ${country}`)
  }, onStores)
).pipe(
  Command.withDescription(
    "Set the country of phones in national form, and compare all phones of clients again"
  ),
  Command.withExamples([{ command: "rapport instance phone-country 1 PL" }])
)

export const instanceCommand = Command.make("instance").pipe(
  Command.withDescription("Create, list, switch and set up the instances of the service"),
  Command.withSubcommands([
    create,
    list,
    makeSwitchCommand("enable", true),
    makeSwitchCommand("disable", false),
    phoneCountry
  ])
)
