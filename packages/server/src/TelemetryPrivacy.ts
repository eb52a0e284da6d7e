// What leaves in spans: no query strings, which hold names and addresses of clients, no chat id, which is often a phone number, and
// nothing of who asked.
import { Effect, Layer, Tracer } from "effect"

const dropped = new Set(["url.query", "client.address", "user_agent.original"])

/** Of POST and GET call_node: the one path that ends with something of a client other than a number. */
const chatId = /(\/call_node\/[^/]*\/[^/]*\/[^/]*\/)[^?#]*/u

const kept = (name: string, value: unknown): unknown =>
  (name === "url.full" || name === "url.path") && typeof value === "string"
    ? value.replace(/[?#].*$/su, "").replace(chatId, "$1:chat_id")
    : value

/** The same tracer, whose spans do not take what is personal. */
export const withoutPersonalData = (inner: Tracer.Tracer): Tracer.Tracer =>
  Tracer.make({
    ...(inner.context === undefined ? {} : { context: inner.context }),
    span: (options) => {
      const span = inner.span(options)
      const attribute = span.attribute.bind(span)
      span.attribute = (name, value) => {
        if (!dropped.has(name)) attribute(name, kept(name, value))
      }
      return span
    }
  })

/** Over the layer that exports. */
export const privateSpansLayer: Layer.Layer<never> = Layer.effect(
  Tracer.Tracer,
  Effect.map(Tracer.Tracer, withoutPersonalData)
)
