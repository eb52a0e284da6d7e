// Messages of clients by the id that their provider gave them: a repeat finds the first one, in whichever chat it was written
// (docs/contract.md §8, "Inbound").
export const inbound: ReadonlyArray<string> = [
  `create table inbound_messages (
    instance_id int8 not null,
    bot_id int8 not null,
    channel text not null,
    chat_id text not null,
    external_message_id text not null,
    appeal_id int8 not null,
    message_id int8 not null,
    primary key (instance_id, bot_id, channel, chat_id, external_message_id),
    foreign key (instance_id, message_id) references appeal_messages (instance_id, id)
  )`
]
