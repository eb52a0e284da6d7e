// What leaves in spans: no paths, which hold ids and phone numbers, no query strings, and nothing about the sender of a request.
// The span of a request has the name and the template of its route (docs/operations.md, "Telemetry").
import { Effect, Layer, Tracer } from "effect"
import { HttpMiddleware } from "effect/http"
import { makeRouteOf } from "./RouteTemplates.ts"

const dropped = new Set(["url.full", "url.path", "url.query", "client.address", "user_agent.original"])

/** The same tracer, whose spans do not take what is personal. */
export const withoutPersonalData = (inner: Tracer.Tracer): Tracer.Tracer =>
  Tracer.make({
    ...(inner.context === undefined ? {} : { context: inner.context }),
    span: (options) => {
      const span = inner.span(options)
      const attribute = span.attribute.bind(span)
      span.attribute = (name, value) => {
        if (!dropped.has(name)) attribute(name, value)
      }
      return span
    }
  })

/** Over the layer that exports. */
export const privateSpansLayer: Layer.Layer<never> = Layer.effect(
  Tracer.Tracer,
  Effect.map(Tracer.Tracer, withoutPersonalData)
)

/** Names the span of a request by its method and the template of its route. */
export const spanNamesLayer: Layer.Layer<never> = Layer.sync(HttpMiddleware.SpanNameGenerator, () => {
  const routeOf = makeRouteOf()
  return ({ method, url }) => `${method} ${routeOf(method, url)}`
})
