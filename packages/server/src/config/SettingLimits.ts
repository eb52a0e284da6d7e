// The allowed values of settings (contract §11).
import type { NumericLimit } from "@rapport/contract/Limits.ts"

/** RAPPORT_POOL_SIZE: connections of the pool. */
export const PoolSizeLimits = { minimum: 2, default: 16, maximum: 500 } as const satisfies NumericLimit
/** Days for which receipts of context writes and imports are kept; 0: for ever. */
export const ReceiptDaysLimits = { minimum: 0, default: 0, maximum: 36_500 } as const satisfies NumericLimit
/** RAPPORT_DELIVERY_ATTEMPTS: tries of a delivery. */
export const DeliveryAttemptsLimits = { minimum: 1, default: 8, maximum: 100 } as const satisfies NumericLimit
/** RAPPORT_DELIVERY_BACKOFF_MS: wait before the second try. */
export const DeliveryBackoffMillisLimits = {
  minimum: 1,
  default: 1_000,
  maximum: 3_600_000
} as const satisfies NumericLimit
/** RAPPORT_DELIVERY_TIMEOUT_MS: how long one try may take. */
export const DeliveryTimeoutMillisLimits = {
  minimum: 1,
  default: 10_000,
  maximum: 300_000
} as const satisfies NumericLimit
/** RAPPORT_REDIS_TIMEOUT_MS: how long a request waits for Redis before its process counts it in memory. */
export const RedisTimeoutMillisLimits = {
  minimum: 1,
  default: 50,
  maximum: 10_000
} as const satisfies NumericLimit
/** RAPPORT_AUDIT_DAYS: how long entries of the audit log are kept; 0: for ever. */
export const AuditDaysLimits = { minimum: 0, default: 400, maximum: 36_500 } as const satisfies NumericLimit
/** RAPPORT_STATE_VERSIONS: versions of a state that its history keeps; 0: all. */
export const StateVersionsLimits = {
  minimum: 0,
  default: 100,
  maximum: 1_000_000
} as const satisfies NumericLimit
/** RAPPORT_FREE_MB: free space below which writes are refused; 0: never. */
export const FreeMegabytesLimits = {
  minimum: 0,
  default: 512,
  maximum: 1_000_000_000
} as const satisfies NumericLimit
/** RAPPORT_QUOTA_ROWS and RAPPORT_QUOTA_MB, of an instance; 0: none. */
export const QuotaLimits = {
  minimum: 0,
  default: 0,
  maximum: 1_000_000_000_000
} as const satisfies NumericLimit
