// The command line of the service (contract §11).
import { version } from "@rapport/contract/Version.ts"
import { Console, Effect, Layer } from "effect"
import { CliConfig, CliOutput, Command, GlobalFlag } from "effect/cli"
import { Config } from "../Config.ts"
import { loggingLayer } from "../Telemetry.ts"
import { backupCommand, restoreCommand } from "./BackupCommand.ts"
import { clientCommand } from "./ClientCommand.ts"
import { deliveryCommand } from "./DeliveryCommand.ts"
import { doctorCommand } from "./DoctorCommand.ts"
import { Json } from "./Flags.ts"
import { importCommand } from "./ImportCommand.ts"
import { indexCommand } from "./IndexCommand.ts"
import { instanceCommand } from "./InstanceCommand.ts"
import { mcpCommand } from "./McpCommand.ts"
import { migrateCommand } from "./MigrateCommand.ts"
import { quarantineCommand } from "./QuarantineCommand.ts"
import { seedCommand } from "./SeedCommand.ts"
import { serveCommand } from "./ServeCommand.ts"
import { statusCommand } from "./StatusCommand.ts"
import { tokenCommand } from "./TokenCommand.ts"
import { userCommand } from "./UserCommand.ts"

const logWarnings = Effect.flatMap(Config, ({ warnings }) =>
  Effect.forEach(warnings, (warning) => Effect.logWarning(warning), { discard: true })
)

const rapport = Command.make("rapport").pipe(
  Command.withDescription("A conversation platform service: context packs, chats, tickets, tools for agents"),
  Command.withSubcommands([
    serveCommand,
    mcpCommand,
    migrateCommand,
    seedCommand,
    doctorCommand,
    statusCommand,
    instanceCommand,
    userCommand,
    tokenCommand,
    clientCommand,
    backupCommand,
    restoreCommand,
    importCommand,
    deliveryCommand,
    indexCommand,
    quarantineCommand
  ]),
  Command.withGlobalFlags([Json]),
  // The settings are read only when a command runs, so that --help always works.
  Command.provideEffectDiscard(logWarnings),
  Command.provide(Layer.provideMerge(loggingLayer, Config.layer))
)

// Results and requested help go to standard output, corrections of the command line to standard error.
const presenter = CliOutput.layerPresenter({
  present: Effect.fnUntraced(function* (event) {
    const formatter = yield* CliOutput.Formatter
    if (event._tag === "Version")
      return yield* Console.log(formatter.formatVersion(event.name, event.version))
    const help = formatter.formatHelpDoc(event.helpDoc)
    if (event._tag === "Help" && event.reason === "Requested") return yield* Console.log(help)
    yield* Console.error(help)
    if (event._tag === "InvalidInvocation") yield* Console.error(formatter.formatErrors(event.errors))
  })
})

// No flags for logs (LOG_LEVEL sets them) and no wizard.
const flags = CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions] })

/** Runs the command that the arguments of the process name. */
export const runRapport = Command.run(rapport, { version }).pipe(
  Effect.provide(Layer.mergeAll(flags, presenter))
)
