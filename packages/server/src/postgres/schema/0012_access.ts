// External tokens made by tokens, their last use, the end of an invitation, and where users logged in from (docs/contract.md §2, §12).
export const access: ReadonlyArray<string> = [
  // The tokens that one was made with, outermost first: it ends with each of them.
  `alter table external_tokens add column ancestor_ids int8[] not null default '{}',
    add column last_used_at timestamptz(3)`,
  `create index external_tokens_ancestors on external_tokens using gin (ancestor_ids) where ancestor_ids <> '{}'`,
  `alter table users add column invitation_expires_at timestamptz(3)`,
  `update users set invitation_expires_at = now() + interval '7 days' where invitation_hash is not null`,
  // Addresses, an IPv6 address as its /64, that logged in as the user; a bounded number of the latest.
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
