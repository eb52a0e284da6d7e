import { receiptsLaws } from "@rapport/core/testing/ReceiptsLaws.ts"
import { writeStoresPostgres } from "../../testing/WriteWorldFixtures.ts"

receiptsLaws("PostgreSQL", writeStoresPostgres)
