// How often what limits writes is checked.

/** How often free space is checked. */
export const FREE_SPACE_MILLIS = 1_000
/** Share of the mark that has to be free on top of it before writes are taken again: no flapping around it. */
export const FREE_SPACE_MARGIN = 0.1
/** How often instances are measured, by one process, where a quota is set. */
export const USAGE_MEASURED_MILLIS = 60_000
/** How often each process reads what was measured. */
export const USAGE_READ_MILLIS = 5_000
