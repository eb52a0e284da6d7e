// Spans without personal data: no path, which may contain a phone number, no query, no sender (docs/operations.md, "Telemetry").
import { Effect, Layer, Tracer } from "effect"
import { HttpMiddleware } from "effect/http"
import { routeOf } from "./RouteTemplates.ts"

const dropped = new Set(["url.full", "url.path", "url.query", "client.address", "user_agent.original"])

/** The same tracer without personal attributes in its spans. */
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

/** Must wrap the layer that exports. */
export const privateSpansLayer: Layer.Layer<never> = Layer.effect(
  Tracer.Tracer,
  Effect.map(Tracer.Tracer, withoutPersonalData)
)

/** Names the span of a request by its method and route template. */
export const spanNamesLayer: Layer.Layer<never> = Layer.succeed(
  HttpMiddleware.SpanNameGenerator,
  ({ method, url }) => `${method} ${routeOf(method, url)}`
)
