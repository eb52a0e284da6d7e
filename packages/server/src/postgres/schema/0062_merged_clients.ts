// Who was merged into a client, found by index: the next merge moves them on (docs/contract.md §9, clients).
export const mergedClients: ReadonlyArray<string> = [
  `create index clients_merged on clients (instance_id, merged_into_id) where merged_into_id is not null`
]
