import { clientContextStoreLaws } from "@rapport/core/testing/ClientContextStoreLaws.ts"
import { writeStoresPostgres } from "../../testing/WriteWorldFixtures.ts"

clientContextStoreLaws("PostgreSQL", writeStoresPostgres)
