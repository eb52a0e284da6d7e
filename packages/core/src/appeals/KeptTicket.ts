// A ticket in a receipt; receipts of earlier versions lack members, which get their usual values.
import { SearchCoverage } from "@rapport/contract/appeals/Appeal.ts"
import { AuthorType } from "@rapport/contract/appeals/AppealsApi.ts"
import { Ticket } from "@rapport/contract/appeals/TicketsApi.ts"
import { Effect, Schema } from "effect"

export const KeptTicket = Schema.Struct({
  ...Ticket.fields,
  authorType: AuthorType.pipe(Schema.withDecodingDefaultKey(Effect.succeed("client" as const))),
  searchCoverage: SearchCoverage.pipe(Schema.withDecodingDefaultKey(Effect.succeed("complete" as const)))
})
