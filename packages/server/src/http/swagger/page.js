// The script of the documentation page: logs in, keeps the tokens for this tab alone, adds them to every "Try it out" call.
import { localReferences } from "./local-references.js"
import { moreFilters } from "./more-filters.js"
import { quickParameters } from "./quick-parameters.js"

const auth = "/kw/api/v1/auth"
const key = "rapport.tokens"
const element = (id) => document.getElementById(id)

const stored = () => JSON.parse(sessionStorage.getItem(key) ?? "null")
const forget = () => sessionStorage.removeItem(key)
const keep = ({ accessToken, expiresIn, refreshToken }) => {
  // Half a minute early, so that a call never leaves with a token that ends on its way.
  const renewAt = Date.now() + (expiresIn - 30) * 1000
  sessionStorage.setItem(key, JSON.stringify({ accessToken, refreshToken, renewAt }))
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

/** The access token of now, renewed when it is about to end; several calls at once renew it once. */
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

globalThis.SwaggerUIBundle({
  url: "/swagger.json",
  dom_id: "#ui",
  validatorUrl: null,
  persistAuthorization: false,
  deepLinking: true,
  // Drawing every operation and schema at once would keep the browser busy for half a minute.
  docExpansion: "none",
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  plugins: [localReferences, quickParameters, moreFilters],
  requestInterceptor: async (request) => {
    const headers = Object.keys(request.headers ?? {}).map((name) => name.toLowerCase())
    const { origin, pathname } = new URL(request.url, location.href)
    const isOwn = origin === location.origin
    // The Model Context Protocol demands both media types, and the page's selector offers one.
    if (isOwn && pathname === "/kw/mcp") request.headers.accept = "application/json, text/event-stream"
    if (request.loadSpec || !isOwn || headers.includes("authorization") || headers.includes("x-auth-token")) {
      return request
    }
    const token = await currentToken()
    if (token !== undefined) request.headers.authorization = `Bearer ${token}`
    return request
  }
})

void showSession()
