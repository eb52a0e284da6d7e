import { importStoreLaws } from "../testing/ImportStoreLaws.ts"
import { writeStoresMemory } from "../testing/WriteWorldMemory.ts"

importStoreLaws("memory", writeStoresMemory)
