// Instances over PostgreSQL, for the service, its commands and its seed.
import { Instances } from "@rapport/core/access/Instances.ts"
import type { Passwords } from "@rapport/core/access/Passwords.ts"
import { Layer } from "effect"
import type { SqlClient } from "effect/sql"
import * as PasswordsArgon from "../access/Password.ts"
import * as InstanceStorePostgres from "../postgres/access/InstanceStorePostgres.ts"

/** Works over any connection. */
export const instancesLayer: Layer.Layer<Instances | Passwords, never, SqlClient.SqlClient> =
  Instances.layer.pipe(
    Layer.provide(InstanceStorePostgres.layer),
    Layer.provideMerge(PasswordsArgon.commandLayer)
  )
