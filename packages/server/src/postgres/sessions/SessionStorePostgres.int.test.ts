import { sessionStoreLaws } from "@rapport/core/testing/SessionStoreLaws.ts"
import { writeStoresPostgres } from "../../testing/WriteWorldFixtures.ts"

sessionStoreLaws("PostgreSQL", writeStoresPostgres)
