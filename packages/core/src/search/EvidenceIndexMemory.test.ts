import { EvidenceIndexMemory } from "./EvidenceIndexMemory.ts"
import { evidenceIndexLaws } from "../testing/EvidenceIndexLaws.ts"

evidenceIndexLaws("memory", EvidenceIndexMemory.layer)
