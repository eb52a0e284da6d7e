import { importStoreLaws } from "@rapport/core/testing/ImportStoreLaws.ts"
import { writeStoresPostgres } from "../../testing/WriteWorldFixtures.ts"

importStoreLaws("PostgreSQL", writeStoresPostgres)
