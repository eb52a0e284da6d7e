import { interleavingLaws } from "./InterleavingLaws.ts"
import { writeStoresMemory } from "./WriteWorldMemory.ts"

interleavingLaws("memory", writeStoresMemory, 200)
