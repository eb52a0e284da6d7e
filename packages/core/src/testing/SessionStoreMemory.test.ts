import { sessionStoreLaws } from "./SessionStoreLaws.ts"
import { writeStoresMemory } from "./WriteWorldMemory.ts"

sessionStoreLaws("memory", writeStoresMemory)
