// Lists of bots and nodes are in the order of their ids, which the primary keys have: these two were asked by nobody.
export const unusedIndexes: ReadonlyArray<string> = [
  `drop index bots_listed`,
  `drop index bot_nodes_listed`,
  `create index bot_nodes_of_bot on bot_nodes (instance_id, bot_id, id)`
]
