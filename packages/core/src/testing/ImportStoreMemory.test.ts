import { importStoreLaws } from "./ImportStoreLaws.ts"
import { writeStoresMemory } from "./WriteWorldMemory.ts"

importStoreLaws("memory", writeStoresMemory)
