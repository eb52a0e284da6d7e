// When a subject or a skill group was last changed: a pack shows it beside their members (docs/contract.md §3.2).

const dated = (name: string): ReadonlyArray<string> => [
  `alter table ${name} add column updated_at timestamptz(3) not null default now()`,
  `create trigger ${name}_dated before update on ${name} for each row
    when (old.version is distinct from new.version) execute function record_dated()`
]

export const recordsDated: ReadonlyArray<string> = [
  `create function record_dated() returns trigger language plpgsql as $$
  begin
    new.updated_at := now();
    return new;
  end $$`,
  ...dated("subjects"),
  ...dated("skill_groups")
]
