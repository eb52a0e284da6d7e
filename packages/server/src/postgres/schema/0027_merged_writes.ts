// What a client wrote before a merge is known by its external id after it, beside the survivor's of the same id (§9, clients).
export const mergedWrites: ReadonlyArray<string> = [
  // Of an event of the same source and id the survivor's own has no merged_from_id: only with it may a new one collide.
  `alter table client_actions add column merged_from_id int8`,
  `drop index client_actions_external`,
  `create unique index client_actions_external on client_actions
    (instance_id, client_id, coalesce(source, ''), external_event_id, coalesce(merged_from_id, 0))
    where external_event_id is not null`,
  `alter table imported_states add column merged_from_id int8 not null default 0`,
  `alter table imported_states drop constraint imported_states_pkey`,
  `alter table imported_states add primary key (instance_id, client_id, source, external_id, merged_from_id)`,
  // The latest session of an external id, closed ones included: an import names it so.
  `create index context_sessions_named on context_sessions (instance_id, external_session_id, created_at desc)
    where external_session_id is not null`
]
