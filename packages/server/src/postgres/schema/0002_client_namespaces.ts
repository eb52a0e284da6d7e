// Counts the namespaces of a client within the statement that adds one.

/** Volatile, so that it also counts what was committed after the snapshot of the statement that has locked the client. */
export const clientNamespaces: ReadonlyArray<string> = [
  `create function client_namespaces(instance int8, client int8) returns int8 language sql volatile as $$
    select count(*) from client_state held where held.instance_id = instance and held.client_id = client
  $$`
]
