import { interleavingLaws } from "@rapport/core/testing/InterleavingLaws.ts"
import { writeStoresPostgres } from "../../testing/WriteWorldFixtures.ts"

interleavingLaws("PostgreSQL", writeStoresPostgres, 50)
