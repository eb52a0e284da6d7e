import { assert, it } from "@effect/vitest"
import { makeRouteOf, NO_ROUTE } from "./RouteTemplates.ts"

const routeOf = makeRouteOf()

it("a route template contains nothing that callers write", () => {
  for (const [method, url, route] of [
    ["GET", "/kw/api/v1/clients/501", "/kw/api/v1/clients/:id"],
    ["HEAD", "/kw/api/v1/clients/501?x=%D0%9E", "/kw/api/v1/clients/:id"],
    ["POST", "/kw/chatrooms/context/retrieve", "/kw/chatrooms/context/retrieve"],
    [
      "POST",
      "/kw/api/call_node/1/2/sms/%2B380501234567",
      "/kw/api/call_node/:bot_id/:node_id/:channel/:chat_id"
    ],
    ["GET", "/health/ready", "/health/ready"]
  ] as const) {
    assert.strictEqual(routeOf(method, url), route, url)
  }
})

it("a path that is no route has no template", () => {
  for (const [method, url] of [
    ["GET", "/olena@example.com"],
    ["DELETE", "/kw/chatrooms/context/retrieve"],
    ["PROPFIND", "/kw/api/v1/clients"],
    ["GET", "/kw/api/v1/clients/%zz"],
    ["GET", "/kw/api/v1/clients/1;x"],
    ["GET", "//kw/api/v1/clients"],
    [undefined, undefined]
  ] as const) {
    assert.strictEqual(routeOf(method, url), NO_ROUTE, url)
  }
})
