// Rows that were written for a client while it was merged kept the id of the client that is no more: no route finds them, and an
// erasure of the survivor did not come by. They become the survivor's, as those that the merge moved; what its client was
// erased of is erased again (clients/HeldClient.ts keeps it from happening).
export const rowsOfMergedClients: ReadonlyArray<string> = [
  `do $$
    declare
      named record;
    begin
      for named in select c.instance_id, c.id, c.merged_into_id as into_id from clients c
        where c.merged_into_id is not null and (
          exists (select 1 from client_actions r where r.instance_id = c.instance_id and r.client_id = c.id)
          or exists (select 1 from client_state r where r.instance_id = c.instance_id and r.client_id = c.id)
          or exists (select 1 from context_sessions r where r.instance_id = c.instance_id and r.client_id = c.id)
          or exists (select 1 from imported_states r where r.instance_id = c.instance_id and r.client_id = c.id)
          or exists (select 1 from property_values r where r.instance_id = c.instance_id and r.entity = 'client'
            and r.entity_id = c.id))
        order by c.instance_id, c.id
      loop
        update client_actions action set client_id = named.into_id, merged_from_id = coalesce(merged_from_id, named.id)
          where instance_id = named.instance_id and client_id = named.id and not exists (
            select 1 from client_actions kept where kept.instance_id = named.instance_id
              and kept.client_id = named.into_id and coalesce(kept.source, '') = coalesce(action.source, '')
              and kept.external_event_id = action.external_event_id
              and kept.merged_from_id = coalesce(action.merged_from_id, named.id));
        update imported_states imported set client_id = named.into_id,
            merged_from_id = case when merged_from_id = 0 then named.id else merged_from_id end
          where instance_id = named.instance_id and client_id = named.id and not exists (
            select 1 from imported_states kept where kept.instance_id = named.instance_id
              and kept.client_id = named.into_id and kept.source = imported.source
              and kept.external_id = imported.external_id
              and kept.merged_from_id = case when imported.merged_from_id = 0 then named.id else imported.merged_from_id end);
        update context_sessions set client_id = named.into_id
          where instance_id = named.instance_id and client_id = named.id;
        update session_messages set client_id = named.into_id
          where instance_id = named.instance_id and client_id = named.id;
        update client_state_history history set client_id = named.into_id
          where instance_id = named.instance_id and client_id = named.id and not exists (
            select 1 from client_state kept where kept.instance_id = named.instance_id
              and kept.client_id = named.into_id and kept.namespace = history.namespace);
        update client_state moved set client_id = named.into_id
          where instance_id = named.instance_id and client_id = named.id and not exists (
            select 1 from client_state kept where kept.instance_id = named.instance_id
              and kept.client_id = named.into_id and kept.namespace = moved.namespace);
        update property_values moved set entity_id = named.into_id
          where instance_id = named.instance_id and entity = 'client' and entity_id = named.id and not exists (
            select 1 from property_values kept where kept.instance_id = named.instance_id and kept.entity = 'client'
              and kept.entity_id = named.into_id and kept.definition_id = moved.definition_id);
        delete from client_actions where instance_id = named.instance_id and client_id = named.id;
        delete from imported_states where instance_id = named.instance_id and client_id = named.id;
        delete from client_state where instance_id = named.instance_id and client_id = named.id;
        delete from client_state_history where instance_id = named.instance_id and client_id = named.id;
        delete from property_values where instance_id = named.instance_id and entity = 'client' and entity_id = named.id;
        update client_erasures set finished_at = null, part = null, place = null, pass_erased = 0
          where instance_id = named.instance_id and client_id = named.into_id;
      end loop;
    end $$`
]
