// Marks the queued deliveries of a paused broadcast. They stay in their line, but are not its head.
export const pausedDeliveries: ReadonlyArray<string> = [
  `alter table deliveries add column paused boolean not null default false`
]
