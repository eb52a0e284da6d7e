// What tells a database from an earlier state of itself: epochs that a restored copy lacks, and the cluster it was written in.
export const databaseEpochs: ReadonlyArray<string> = [
  `create table database_epochs (
    epoch uuid primary key,
    created_at timestamptz(3) not null default clock_timestamp()
  )`,
  `create index database_epochs_newest on database_epochs (created_at)`,
  `insert into database_epochs (epoch) values (gen_random_uuid())`,
  `create table database_identity (
    single boolean primary key default true check (single),
    identity text not null
  )`
]
