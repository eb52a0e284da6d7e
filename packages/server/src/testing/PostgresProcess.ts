// A process for tests to kill: it runs PostgreSQL in a folder, writes one row and prints a line.
import { NodeRuntime } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { DataFolder } from "../files/DataFolder.ts"
import { commandLayer } from "../postgres/connection/Database.ts"
import { EmbeddedPostgres } from "../postgres/connection/EmbeddedPostgres.ts"

const database = Layer.unwrap(Effect.map(EmbeddedPostgres, commandLayer)).pipe(
  Layer.provide(EmbeddedPostgres.layer({ connectionsMax: 16 })),
  Layer.provide(DataFolder.layer(process.argv[2] ?? ""))
)

NodeRuntime.runMain(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`create table kept(text text)`
    yield* sql`insert into kept(text) values ('kept')`
    process.stdout.write("kept\n")
    return yield* Effect.never
  }).pipe(Effect.provide(database))
)
