// The script of the documentation page: logs in, keeps the tokens of this tab, and authorizes the "Try it out" calls.
import { rapportPlugin } from "./plugin.js"

const auth = "/kw/api/v1/auth"
const key = "rapport.tokens"
const element = (id) => document.getElementById(id)

/** Swagger UI shows closed padlocks and sends the token after this. */
let ui
const authorize = (accessToken) => ui?.preauthorizeApiKey("bearer", accessToken)

const stored = () => JSON.parse(sessionStorage.getItem(key) ?? "null")
const forget = () => {
  sessionStorage.removeItem(key)
  ui?.authActions.logout(["bearer"])
}
const keep = ({ accessToken, expiresIn, refreshToken }) => {
  // Expires half a minute early, so that no call is sent with a token that expires in flight.
  const renewAt = Date.now() + (expiresIn - 30) * 1000
  sessionStorage.setItem(key, JSON.stringify({ accessToken, refreshToken, renewAt }))
  authorize(accessToken)
  return accessToken
}

const call = (path, { body, method = "POST", token } = {}) =>
  fetch(auth + path, {
    method,
    headers: {
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` })
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })

const show = (who, message = "") => {
  element("login-form").hidden = who !== undefined
  element("session").hidden = who === undefined
  element("who").textContent = who ?? ""
  element("message").textContent = message
}

let renewing
const renew = async ({ refreshToken }) => {
  const response = await call("/refresh", { body: { refreshToken } })
  if (response.ok) return keep(await response.json())
  forget()
  show(undefined, "The session has ended: log in again.")
  return undefined
}

/** The current access token. Parallel calls renew an expiring token once. */
const currentToken = () => {
  const tokens = stored()
  if (tokens === null) return Promise.resolve(undefined)
  if (Date.now() < tokens.renewAt) return Promise.resolve(tokens.accessToken)
  renewing ??= renew(tokens).finally(() => {
    renewing = undefined
  })
  return renewing
}

const showSession = async () => {
  const token = await currentToken()
  if (token === undefined) return
  const response = await call("/me", { method: "GET", token })
  if (response.ok) {
    const { user } = await response.json()
    show(`${user.displayName} (${user.roles.join(", ")})`)
  } else if (response.status === 401) {
    forget()
    show(undefined, "The session has ended: log in again.")
  } else show(undefined, (await response.json()).detail)
}

element("login-form").addEventListener("submit", async (event) => {
  event.preventDefault()
  const body = { login: element("login").value, password: element("password").value }
  const response = await call("/login", { body })
  if (!response.ok) return show(undefined, (await response.json()).detail)
  element("password").value = ""
  keep(await response.json())
  await showSession()
})

element("logout").addEventListener("click", async () => {
  const tokens = stored()
  const token = await currentToken()
  forget()
  show(undefined, "Logged out.")
  if (token !== undefined) {
    await call("/logout", { body: { refreshToken: (stored() ?? tokens).refreshToken }, token })
  }
})

// Swagger UI omits labels of fields and keyboard access to scrolling texts.
new MutationObserver(() => {
  for (const text of document.querySelectorAll("#ui pre:not([tabindex])")) text.tabIndex = 0
  for (const field of document.querySelectorAll(
    "tr[data-param-name] :is(input, select, textarea):not([aria-label])"
  ))
    field.ariaLabel = field.closest("tr").dataset.paramName
  for (const field of document.querySelectorAll("#ui :is(select, textarea):not([aria-label], [id], label *)"))
    field.ariaLabel = field.matches("textarea") ? "Request body" : "Media type"
}).observe(element("ui"), { childList: true, subtree: true })

const scheme = matchMedia("(prefers-color-scheme: dark)")
const followScheme = () => document.documentElement.classList.toggle("dark-mode", scheme.matches)
scheme.addEventListener("change", followScheme)
followScheme()

ui = globalThis.SwaggerUIBundle({
  url: "/swagger.json",
  dom_id: "#ui",
  validatorUrl: null,
  persistAuthorization: false,
  deepLinking: true,
  // Drawing every operation and schema would keep the browser busy for half a minute.
  docExpansion: "none",
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  plugins: [rapportPlugin],
  onComplete: () => {
    const tokens = stored()
    if (tokens !== null) authorize(tokens.accessToken)
  },
  requestInterceptor: async (request) => {
    const { headers = {} } = request
    // The Model Context Protocol requires both media types, and the page's selector offers one.
    if (request.url.endsWith("/kw/mcp")) headers.accept = "application/json, text/event-stream"
    const name = Object.keys(headers).find((one) => one.toLowerCase() === "authorization")
    const known = stored()
    // A token that the user entered stays.
    if (name === undefined || known === null || headers[name] !== `Bearer ${known.accessToken}`)
      return request
    if (Object.keys(headers).some((one) => one.toLowerCase() === "x-auth-token")) delete headers[name]
    else headers[name] = `Bearer ${await currentToken()}`
    return request
  }
})

void showSession()
