// The run of broadcasts over PostgreSQL (contract §9.1).
import { broadcastRunLayer } from "@rapport/core/broadcasts/BroadcastRun.ts"
import { Layer } from "effect"
import * as BroadcastQueuePostgres from "../postgres/broadcasts/BroadcastQueuePostgres.ts"

/** Needs a migrated database, SecureRandom and the signals. */
export const broadcastsRunLayer = broadcastRunLayer.pipe(Layer.provide(BroadcastQueuePostgres.layer))
