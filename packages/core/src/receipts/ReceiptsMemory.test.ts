import { receiptsLaws } from "../testing/ReceiptsLaws.ts"
import { writeStoresMemory } from "../testing/WriteWorldMemory.ts"

receiptsLaws("memory", writeStoresMemory)
