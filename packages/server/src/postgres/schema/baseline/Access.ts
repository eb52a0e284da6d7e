// Rights of users in one row each, maintained by triggers in the transaction of the change; sessions and tokens.
import { afterStatements } from "./StatementTriggers.ts"

export const access: ReadonlyArray<string> = [
  `create table user_access (
    instance_id int8 not null,
    user_id int8 not null,
    status text not null,
    roles text[] not null,
    skill_group_ids int8[] not null,
    subject_ids int8[] not null,
    colleague_ids int8[] not null,
    primary key (instance_id, user_id),
    foreign key (instance_id, user_id) references users (instance_id, id)
  )`,
  // Locks the rights of the instance, because two parallel changes would miss each other's rows.
  `create function refresh_user_access(instances int8[], users int8[]) returns void language plpgsql as $$
  begin
    perform pg_advisory_xact_lock(7201, (i % 2147483647)::int4) from (select distinct unnest(instances) i order by 1) locks;
    insert into user_access (instance_id, user_id, status, roles, skill_group_ids, subject_ids, colleague_ids)
    select u.instance_id, u.id, u.status, u.roles,
      array(select m.skill_group_id from skill_group_members m
        where m.instance_id = u.instance_id and m.user_id = u.id order by 1),
      array(select distinct s.subject_id from skill_group_members m
        join skill_group_subjects s on s.instance_id = m.instance_id and s.skill_group_id = m.skill_group_id
        where m.instance_id = u.instance_id and m.user_id = u.id order by 1),
      array(select distinct o.user_id from skill_group_members m
        join skill_group_members o on o.instance_id = m.instance_id and o.skill_group_id = m.skill_group_id
        where m.instance_id = u.instance_id and m.user_id = u.id order by 1)
    from users u where u.instance_id = any(instances) and u.id = any(users)
    on conflict (instance_id, user_id) do update set status = excluded.status, roles = excluded.roles,
      skill_group_ids = excluded.skill_group_ids, subject_ids = excluded.subject_ids,
      colleague_ids = excluded.colleague_ids
    where (user_access.status, user_access.roles, user_access.skill_group_ids, user_access.subject_ids,
      user_access.colleague_ids) is distinct from (excluded.status, excluded.roles, excluded.skill_group_ids,
      excluded.subject_ids, excluded.colleague_ids);
  end $$`,
  `create function users_changed() returns trigger language plpgsql as $$
  begin
    perform refresh_user_access(array_agg(distinct instance_id), array_agg(distinct id)) from changed having count(*) > 0;
    return null;
  end $$`,
  // A login or a changed name does not change rights and must not wait for the lock of the instance.
  `create function users_updated() returns trigger language plpgsql as $$
  begin
    perform refresh_user_access(array_agg(distinct n.instance_id), array_agg(distinct n.id))
    from changed n join before o on o.instance_id = n.instance_id and o.id = n.id
    where (n.status, n.roles) is distinct from (o.status, o.roles) having count(*) > 0;
    return null;
  end $$`,
  `create function groups_changed() returns trigger language plpgsql as $$
  begin
    perform refresh_user_access(array_agg(distinct m.instance_id), array_agg(distinct m.user_id))
    from (select instance_id, skill_group_id from changed) c
    join skill_group_members m on m.instance_id = c.instance_id and m.skill_group_id = c.skill_group_id
    having count(*) > 0;
    return null;
  end $$`,
  // Refreshes users who left a group, because its members no longer include them.
  `create function members_left() returns trigger language plpgsql as $$
  begin
    perform refresh_user_access(array_agg(distinct instance_id), array_agg(distinct user_id)) from changed
    having count(*) > 0;
    return null;
  end $$`,
  ...afterStatements("users", ["insert"], "users_changed"),
  ...afterStatements("users", ["update"], "users_updated"),
  ...afterStatements("skill_group_members", ["insert", "delete"], "groups_changed"),
  ...afterStatements("skill_group_members", ["delete"], "members_left"),
  ...afterStatements("skill_group_subjects", ["insert", "delete"], "groups_changed"),
  // A login creates a family. Its refresh token rotates, and the family is the session of its access tokens.
  `create table refresh_families (
    instance_id int8 not null,
    id uuid not null,
    user_id int8 not null,
    current_hash bytea not null,
    expires_at timestamptz(3) not null,
    revoked_at timestamptz(3),
    created_at timestamptz(3) not null default now(),
    primary key (instance_id, id),
    unique (id),
    foreign key (instance_id, user_id) references users (instance_id, id)
  )`,
  `create index refresh_families_user on refresh_families (instance_id, user_id) where revoked_at is null`,
  // For the sweep, in its order.
  `create index refresh_families_end on refresh_families (expires_at)`,
  `create table refresh_spent (
    instance_id int8 not null,
    hash bytea not null,
    family_id uuid not null,
    spent_at timestamptz(3) not null default now(),
    primary key (instance_id, hash),
    foreign key (instance_id, family_id) references refresh_families (instance_id, id) on delete cascade
  )`,
  `create index refresh_spent_family on refresh_spent (instance_id, family_id)`,
  `create index refresh_spent_age on refresh_spent (spent_at)`,
  `create table external_tokens (
    instance_id int8 not null,
    id int8 generated by default as identity,
    user_id int8 not null,
    name text not null,
    prefix text not null,
    hash bytea not null,
    permissions text[] not null,
    expires_at timestamptz(3),
    deleted_at timestamptz(3),
    -- The tokens that it was made with, outermost first: it ends with each of them.
    ancestor_ids int8[] not null default '{}',
    last_used_at timestamptz(3),
    created_at timestamptz(3) not null default now(),
    -- The token sees what this user sees.
    acts_as int8,
    primary key (instance_id, id),
    unique (hash),
    foreign key (instance_id, user_id) references users (instance_id, id),
    foreign key (instance_id, acts_as) references users (instance_id, id)
  )`,
  `create index external_tokens_user on external_tokens (instance_id, user_id, created_at desc, id desc)
    where deleted_at is null`,
  `create index external_tokens_ancestors on external_tokens using gin (ancestor_ids) where ancestor_ids <> '{}'`,
  // The latest addresses of logins of the user. An IPv6 address is stored as its /64.
  `create table login_addresses (
    instance_id int8 not null,
    user_id int8 not null,
    address text not null,
    logged_in_at timestamptz(3) not null default now(),
    primary key (instance_id, user_id, address),
    foreign key (instance_id, user_id) references users (instance_id, id) on delete cascade
  )`,
  `create index login_addresses_age on login_addresses (logged_in_at)`
]
