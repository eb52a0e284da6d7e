// How much of a long text the provider has taken: a text that goes in parts goes on behind the last one that was accepted.
export const deliveryParts: ReadonlyArray<string> = [
  `alter table deliveries add column gone_units int4 not null default 0`
]
