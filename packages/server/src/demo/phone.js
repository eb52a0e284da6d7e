// Polls the phone's messages once a second, shows new ones, and marks them as read while the page is visible.
const POLL_MILLIS = 1_000
const find = (id) => document.getElementById(id)
const list = find("messages")
const time = new Intl.DateTimeFormat("uk", { hour: "2-digit", minute: "2-digit" })
let known = ""
let unread = false

const bubble = ({ at, from, text }) => {
  const item = document.createElement("li")
  item.className = from
  const content = document.createElement("span")
  content.textContent = text
  const when = document.createElement("time")
  when.dateTime = new Date(at).toISOString()
  when.textContent = time.format(at)
  item.append(content, when)
  return item
}

const post = (path, body) =>
  fetch(`/demo/phone/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body)
  })

const poll = async () => {
  const answer = await fetch("/demo/phone/messages")
  if (!answer.ok) throw new Error(String(answer.status))
  const { clientName, messages } = await answer.json()
  find("client").textContent = clientName
  find("empty").hidden = messages.length > 0
  find("fault").textContent = ""
  const now = JSON.stringify(messages)
  if (now !== known) {
    known = now
    unread = true
    list.replaceChildren(...messages.map(bubble))
    list.scrollTop = list.scrollHeight
  }
  if (unread && document.visibilityState === "visible") {
    unread = false
    await post("read", {})
  }
}

const keepPolling = async () => {
  try {
    await poll()
  } catch {
    find("fault").textContent = "Немає зв’язку із сервісом. Спробуємо ще раз."
  }
  setTimeout(keepPolling, POLL_MILLIS)
}

find("answer").addEventListener("submit", async (event) => {
  event.preventDefault()
  const field = find("text")
  const text = field.value
  if (text.trim() === "") return
  const answer = await post("messages", { text }).catch(() => undefined)
  if (answer?.ok) {
    field.value = ""
    await poll().catch(() => undefined)
  } else
    find("fault").textContent =
      answer?.status === 429 ? "Забагато повідомлень: зачекайте хвилину." : "Повідомлення не надіслано."
})

void keepPolling()
