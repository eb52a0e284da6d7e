import type { ListRequest } from "@rapport/core/lists/ListRequest.ts"

/** A request for the first records by their ids, with these changes. */
export const listRequest = (more: Partial<ListRequest> = {}): ListRequest => ({
  filters: [],
  orders: [{ field: "id", direction: "asc" }],
  limit: 100,
  offset: 0,
  after: null,
  fields: null,
  includes: [],
  search: null,
  purpose: "test",
  ...more
})

/** A request for the ids of the newest records. */
export const newest = listRequest({
  orders: [
    { field: "createdAt", direction: "desc" },
    { field: "id", direction: "desc" }
  ],
  fields: ["id"]
})
