// Members that `include` adds to the lists of chats and tickets (contract §1.2).
import { Schema, Struct } from "effect"
import { Subject } from "../directory/DirectoryApi.ts"
import { User } from "../users/User.ts"
import { PositiveInt } from "../values/Ids.ts"

const recordWithName = (identifier: string) =>
  Schema.Struct({ id: PositiveInt, name: Schema.String }).annotate({ identifier })
export const IncludedUser = Schema.NullOr(
  Schema.Struct(Struct.pick(User.fields, ["id", "displayName", "status", "presence"])).annotate({
    identifier: "IncludedUser"
  })
)

/** Members that both lists can include. */
export const appealIncludes = {
  client: Schema.optionalKey(Schema.NullOr(recordWithName("IncludedClient"))),
  operator: Schema.optionalKey(IncludedUser),
  subject: Schema.optionalKey(
    Schema.NullOr(
      Schema.Struct(Struct.pick(Subject.fields, ["id", "name", "alias"])).annotate({
        identifier: "IncludedSubject"
      })
    )
  ),
  skillGroups: Schema.optionalKey(Schema.Array(recordWithName("IncludedSkillGroup")))
}
