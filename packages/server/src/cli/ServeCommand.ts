// `rapport serve`: runs the service until it is stopped.
import { Effect } from "effect"
import { Command } from "effect/cli"
import { Json } from "./Flags.ts"

export const serveCommand = Command.make("serve", {}, () =>
  // Loaded here, so that other commands do not load the whole service.
  Effect.promise(() => import("../Server.ts")).pipe(
    Effect.flatMap(({ serve }) => Effect.flatMap(Json, (json) => serve({ json })))
  )
).pipe(
  Command.withDescription(
    "Run the service until it is stopped. Settings are variables of the environment: docs/contract/11-running.md lists them"
  ),
  Command.withExamples([
    {
      command: "PORT=8081 RAPPORT_DATA_DIR=/var/lib/rapport rapport serve",
      description: "With an embedded PostgreSQL in its data folder"
    },
    {
      command:
        "DATABASE_URL_FILE=/run/secrets/database RAPPORT_TOKEN_KEYS_FILE=/run/secrets/keys RAPPORT_ADMIN_PASSWORD_FILE=/run/secrets/password rapport serve",
      description: "With an external PostgreSQL; the password is for the administrator of an empty database"
    }
  ])
)
