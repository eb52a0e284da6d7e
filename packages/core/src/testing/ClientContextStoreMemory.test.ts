import { clientContextStoreLaws } from "./ClientContextStoreLaws.ts"
import { writeStoresMemory } from "./WriteWorldMemory.ts"

clientContextStoreLaws("memory", writeStoresMemory)
