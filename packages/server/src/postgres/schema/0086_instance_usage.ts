// What an instance stores, as it was last measured: quotas are judged by it.
export const instanceUsage: ReadonlyArray<string> = [
  `create table instance_usage (
    instance_id int8 primary key references instances,
    stored_rows int8 not null,
    stored_bytes int8 not null,
    measured_at timestamptz(3) not null default now()
  )`
]
