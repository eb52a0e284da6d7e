import { EvidenceIndexMemory } from "./EvidenceIndexMemory.ts"
import { evidenceIndexLaws } from "./EvidenceIndexLaws.ts"

evidenceIndexLaws("memory", EvidenceIndexMemory.layer)
