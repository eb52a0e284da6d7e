import { sessionStoreLaws } from "../testing/SessionStoreLaws.ts"
import { writeStoresMemory } from "../testing/WriteWorldMemory.ts"

sessionStoreLaws("memory", writeStoresMemory)
