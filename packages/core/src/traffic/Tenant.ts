// On whose behalf the present work runs: what shared resources are divided by, such as the connections to the database.
import { Context } from "effect"

/** The service itself, requests without a session yet, or an instance. */
export type TenantKey = "service" | "anonymous" | `instance/${number}`

/** Set where a request arrives; work without a request is the service's own. */
export const CurrentTenant = Context.Reference<TenantKey>("core/traffic/CurrentTenant", {
  defaultValue: () => "service"
})

export const tenantOf = ({ instanceId }: { readonly instanceId: number }): TenantKey =>
  `instance/${instanceId}`
