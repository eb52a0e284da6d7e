// Sends a load from a process of its own. The plan is the first argument; prints the outcome as JSON.
import { Effect, Schema } from "effect"
import { load } from "../Load.ts"
import { LoadPlan } from "./LoadPlan.ts"

const { requests, ...plan } = Schema.decodeUnknownSync(Schema.fromJsonString(LoadPlan))(process.argv[2])
const [first] = requests
const each = (connection: number, n: number) => requests[(connection + n) % requests.length] ?? first
process.stdout.write(JSON.stringify(await Effect.runPromise(load({ ...first, ...plan, each }))))
