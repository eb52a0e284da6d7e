// The open chat of (bot, channel, chatId): where a bot's message is written and a client's one arrives (docs/contract.md §8).
export const botChats: ReadonlyArray<string> = [
  `create index appeals_of_bot on appeals (instance_id, bot_id, channel, chat_id, id)
    where bot_id is not null and status <> 'closed'`
]
