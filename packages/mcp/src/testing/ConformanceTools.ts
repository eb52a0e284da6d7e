// The tools and prompts that the conformance runner calls, written from its descriptions.
import {
  CLIENT_CAPABILITIES_META_KEY,
  type CallToolResult,
  createRequestStateCodec,
  type GetPromptResult,
  type InputRequest,
  inputRequired,
  type InputRequiredResult,
  isInputRequiredResult,
  MissingRequiredClientCapabilityError,
  type ServerContext
} from "@modelcontextprotocol/server"

export const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
const SILENCE = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="

const text = (content: string) => ({ type: "text" as const, text: content })
const image = { type: "image" as const, data: PIXEL, mimeType: "image/png" }
const embedded = (uri: string) => ({
  type: "resource" as const,
  resource: { uri, mimeType: "text/plain", text: "the text of an embedded resource" }
})

/** The implementation of a tool or prompt. */
export type Answer<R = CallToolResult> = (
  context: ServerContext,
  args: Readonly<Record<string, unknown>>
) => Promise<R | InputRequiredResult> | R | InputRequiredResult

const says =
  (...content: CallToolResult["content"]): Answer =>
  () => ({ content })

const pause = () => new Promise((resolve) => setTimeout(resolve, 50))

const ask = (message: string, name: string, type = "string"): InputRequest =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: "object", properties: { [name]: { type } }, required: [name] } as never
  })
const sample = (prompt: string, maxTokens: number): InputRequest =>
  inputRequired.createMessage({ messages: [{ role: "user", content: text(prompt) }], maxTokens })

/** Signs the state that the client returns. */
export const codec = createRequestStateCodec<number>({ key: new Uint8Array(32).fill(7) })

/** Requests inputs until all have arrived. The signed `state` is part of the request. */
const needs =
  (requests: Readonly<Record<string, InputRequest>>, done: string, state?: number): Answer =>
  async (context) => {
    const { inputResponses = {} } = context.mcpReq
    const complete = Object.keys(requests).every((name) => {
      const given = inputResponses[name]
      return typeof given === "object" && given !== null
    })
    if (complete) return { content: [text(`${done} ${JSON.stringify(inputResponses)}`)] }
    return inputRequired({
      inputRequests: requests,
      ...(state === undefined ? {} : { requestState: await codec.mint(state, context) })
    })
  }

const twoRounds: Answer = (context, args) =>
  context.mcpReq.requestState<number>() === undefined
    ? needs({ step1: ask("What is your name?", "name") }, "", 1)(context, args)
    : needs({ step2: ask("What is your favourite colour?", "color") }, "done", 2)(context, args)

/** Requests the inputs for which the client has declared a capability. */
const requestsDeclared: Answer = (context) => {
  const capabilities: unknown = Object(context.mcpReq.envelope)[CLIENT_CAPABILITIES_META_KEY]
  return inputRequired({
    inputRequests: {
      ...("elicitation" in Object(capabilities) ? { user_name: ask("What is your name?", "name") } : {}),
      ...("sampling" in Object(capabilities) ? { greeting: sample("Say hello", 50) } : {}),
      ...("roots" in Object(capabilities) ? { client_roots: inputRequired.listRoots() } : {})
    }
  })
}

const logs: Answer = async ({ mcpReq }) => {
  for (const data of ["started", "at work", "completed"]) {
    await mcpReq.log("info", data)
    await pause()
  }
  return { content: [text("logged")] }
}

const progresses: Answer = async ({ mcpReq }) => {
  const progressToken = mcpReq._meta?.progressToken
  for (const progress of [0, 50, 100]) {
    if (progressToken !== undefined)
      await mcpReq.notify({
        method: "notifications/progress",
        params: { progressToken, progress, total: 100 }
      })
    await pause()
  }
  return { content: [text("completed")] }
}

// `send` uses the stream of the call's answer. There is no other stream.
const samples: Answer = async ({ mcpReq }, args) => {
  const messages = [{ role: "user" as const, content: text(String(args["prompt"])) }]
  const params = { messages, maxTokens: 100 }
  const { content } = await mcpReq.send({ method: "sampling/createMessage", params })
  return { content: [text(`LLM response: ${JSON.stringify(content)}`)] }
}

const elicits =
  (message: string, properties: object, required: ReadonlyArray<string> = []): Answer =>
  async ({ mcpReq }) => {
    const requestedSchema = { type: "object", properties, required } as never
    const params = { message, requestedSchema }
    const { action, content } = await mcpReq.send({ method: "elicitation/create", params })
    return { content: [text(`User response: action=${action}, content=${JSON.stringify(content ?? {})}`)] }
  }

const choices = (...names: ReadonlyArray<string>) =>
  names.map((name) => ({ const: name, title: `The ${name}` }))
const options = ["option1", "option2", "option3"]

export const tools: Readonly<Record<string, Answer>> = {
  test_simple_text: says(text("a simple text")),
  test_image_content: says(image),
  test_audio_content: says({ type: "audio", data: SILENCE, mimeType: "audio/wav" }),
  test_embedded_resource: says(embedded("test://embedded-resource")),
  test_multiple_content_types: says(text("several"), image, embedded("test://mixed-content-resource")),
  test_error_handling: () => ({ content: [text("this tool always fails")], isError: true }),
  test_tool_with_logging: logs,
  test_tool_with_progress: progresses,
  test_sampling: samples,
  test_elicitation: elicits("Please answer", { response: { type: "string" } }, ["response"]),
  test_elicitation_sep1034_defaults: elicits("Please look through these", {
    name: { type: "string", default: "John Doe" },
    age: { type: "integer", default: 30 },
    score: { type: "number", default: 95.5 },
    status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
    verified: { type: "boolean", default: true }
  }),
  test_elicitation_sep1330_enums: elicits("Please choose", {
    untitledSingle: { type: "string", enum: options },
    titledSingle: { type: "string", oneOf: choices("value1", "value2", "value3") },
    legacyEnum: { type: "string", enum: ["opt1", "opt2", "opt3"], enumNames: ["One", "Two", "Three"] },
    untitledMulti: { type: "array", minItems: 1, maxItems: 3, items: { type: "string", enum: options } },
    titledMulti: {
      type: "array",
      minItems: 1,
      maxItems: 3,
      items: { anyOf: choices("value1", "value2", "value3") }
    }
  }),
  test_missing_capability: () => {
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } })
  },
  test_logging_tool: logs,
  test_streaming_elicitation: needs({ user_name: ask("What is your name?", "name") }, "Hello,"),
  test_input_required_result_elicitation: needs({ user_name: ask("What is your name?", "name") }, "Hello,"),
  test_input_required_result_sampling: needs(
    { capital_question: sample("What is the capital of France?", 100) },
    "Said:"
  ),
  test_input_required_result_list_roots: needs({ client_roots: inputRequired.listRoots() }, "Roots:"),
  test_input_required_result_request_state: needs(
    { confirm: ask("Please confirm", "ok", "boolean") },
    "state-ok",
    1
  ),
  test_input_required_result_multiple_inputs: needs(
    {
      user_name: ask("What is your name?", "name"),
      greeting: sample("Generate a greeting", 50),
      client_roots: inputRequired.listRoots()
    },
    "All:",
    1
  ),
  test_input_required_result_multi_round: twoRounds,
  test_input_required_result_tampered_state: needs(
    { confirm: ask("Please confirm", "ok", "boolean") },
    "state-ok",
    1
  ),
  test_input_required_result_capabilities: requestsDeclared
}

export const prompts: Readonly<Record<string, Answer<GetPromptResult>>> = {
  test_simple_prompt: () => said(text("a simple prompt")),
  test_prompt_with_arguments: (_, { arg1, arg2 }) =>
    said(text(`arg1='${String(arg1)}', arg2='${String(arg2)}'`)),
  test_prompt_with_embedded_resource: (_, { resourceUri }) => said(embedded(String(resourceUri))),
  test_prompt_with_image: () => said(image),
  test_input_required_result_prompt: async (context, args) => {
    const result = await needs({ user_context: ask("Which context?", "context") }, "")(context, args)
    return isInputRequiredResult(result) ? result : said(text("a prompt with context"))
  }
}
const said = (
  ...content: ReadonlyArray<GetPromptResult["messages"][number]["content"]>
): GetPromptResult => ({
  messages: content.map((one) => ({ role: "user" as const, content: one }))
})
/** Arguments of a prompt, all of them required. */
export const argumentsOf: Readonly<Record<string, ReadonlyArray<string>>> = {
  test_prompt_with_arguments: ["arg1", "arg2"],
  test_prompt_with_embedded_resource: ["resourceUri"]
}
