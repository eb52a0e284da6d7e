// The permission clients.erase was in no role's list of docs/contract.md: the routes that it opened need clients.manage and
// audit.read. A token that was made with it keeps its other permissions, and gains none.
export const erasePermissionGoes: ReadonlyArray<string> = [
  `update external_tokens set permissions = array_remove(permissions, 'clients.erase')
    where 'clients.erase' = any(permissions)`
]
