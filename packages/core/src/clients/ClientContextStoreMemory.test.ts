import { clientContextStoreLaws } from "../testing/ClientContextStoreLaws.ts"
import { writeStoresMemory } from "../testing/WriteWorldMemory.ts"

clientContextStoreLaws("memory", writeStoresMemory)
