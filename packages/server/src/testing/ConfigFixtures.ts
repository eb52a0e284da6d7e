// Settings of an environment, and files that it names.
import { Effect } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { readConfig } from "../Config.ts"
import { temporaryFolder } from "./TemporaryFolder.ts"

/** The configuration without a terminal. */
export const read = (environment: Readonly<Record<string, string>>) =>
  readConfig(environment, { terminal: false })

/** A file with this text, until the scope ends. */
export const fileWith = (text: string) =>
  Effect.map(temporaryFolder, (folder) => {
    const file = path.join(folder, "file")
    fs.writeFileSync(file, text)
    return file
  })
