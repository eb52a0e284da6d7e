import { receiptsLaws } from "./ReceiptsLaws.ts"
import { writeStoresMemory } from "./WriteWorldMemory.ts"

receiptsLaws("memory", writeStoresMemory)
