/**
 * Shows the messages of the inbox, phone by phone, and keeps them up to date.
 *
 * Texts come from whoever calls the service, so they only ever become text
 * nodes.
 */

/**
 * @typedef {{
 *   id: string, to: string, channel: string, sender: string, text: string,
 *   at: string, outcome: string,
 * }} Message
 * @typedef {{ words: string, reached: "yes" | "no" | "unsure" }} Outcome
 */

/** As many as the server keeps. */
const maxMessages = 500

const retryMillis = 2_000

/**
 * What an outcome is called, and whether the text was seen on the phone.
 * @type {ReadonlyMap<string, Outcome>}
 */
const outcomes = new Map([
  ["accepted", { words: "On its way", reached: "unsure" }],
  ["delivered", { words: "Delivered", reached: "yes" }],
  ["undelivered", { words: "Not delivered", reached: "no" }],
  ["rejected", { words: "Refused by the carrier", reached: "no" }],
  ["failed", { words: "Not sent", reached: "no" }],
  ["unknown", { words: "The carrier did not answer", reached: "unsure" }],
])

const channels = new Map([
  ["sms", "SMS"],
  ["whatsapp", "WhatsApp"],
])

/** @param {string} id */
const element = (id) => {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`#${id} is missing`)
  return found
}

const phones = element("phones")
const empty = element("empty")
const connection = element("connection")
const announcement = element("announcement")
const filter = element("filter")

/**
 * @param {string} tag
 * @param {string} className
 * @param {ReadonlyArray<Node | string>} children Strings become text nodes.
 */
const make = (tag, className, ...children) => {
  const made = document.createElement(tag)
  made.className = className
  made.append(...children.flat())
  return made
}

/**
 * A number in groups, as people read it.
 * @param {string} to
 */
const grouped = (to) =>
  to.startsWith("+880") ? `+880 ${to.slice(4, 8)} ${to.slice(8)}` : to.replace(/(\d{3})\B/g, "$1 ")

/** @param {string} at */
const timeOf = (at) => {
  const time = make("time", "", new Date(at).toLocaleTimeString([], { timeStyle: "medium" }))
  time.setAttribute("datetime", at)
  return time
}

/**
 * The code, where a text begins with one.
 * @param {string} text
 */
const codeIn = (text) => /^\d{4,10}(?!\d)/.exec(text)?.[0]

/**
 * Also where the page is no secure context, as on a phone in the same network.
 * @param {string} text
 */
const copy = async (text) => {
  if (window.isSecureContext) return navigator.clipboard.writeText(text)
  const area = document.createElement("textarea")
  area.value = text
  document.body.append(area)
  area.select()
  document.execCommand("copy")
  area.remove()
}

/** @param {string} code */
const codeButton = (code) => {
  const label = make("span", "copy", "Copy")
  const button = make("button", "code", make("span", "digits", code), label)
  button.setAttribute("type", "button")
  button.setAttribute("aria-label", `Copy code ${code}`)
  button.addEventListener("click", async () => {
    const words = await copy(code).then(
      () => "Copied",
      () => "Not copied",
    )
    label.textContent = words
    announcement.textContent = words
    setTimeout(() => (label.textContent = "Copy"), 1_500)
  })
  return button
}

/** @param {Message} message */
const messageItem = ({ at, channel, id, outcome, sender, text, to }) => {
  const { reached, words } = outcomes.get(outcome) ?? { reached: "yes", words: outcome }
  const code = codeIn(text)
  const item = make(
    "li",
    "message",
    make("p", "from", make("b", "", sender), channels.get(channel) ?? channel),
    make(
      "div",
      "bubble",
      make("p", "text", text),
      ...(code === undefined ? [] : [codeButton(code)]),
    ),
    make("p", "outcome", make("b", "", words), timeOf(at)),
  )
  Object.assign(item.dataset, { id, to, channel, outcome, reached })
  return item
}

/** Message items by id, oldest first. @type {Map<string, HTMLElement>} */
const items = new Map()

/** Phones by number. @type {Map<string, { phone: HTMLElement, thread: HTMLElement }>} */
const byNumber = new Map()

/** @param {string} to */
const phoneOf = (to) => {
  const known = byNumber.get(to)
  if (known !== undefined) return known
  const thread = make("ol", "thread")
  thread.setAttribute("tabindex", "0")
  thread.setAttribute("aria-label", `Messages to ${grouped(to)}`)
  const head = make("div", "screen-head", make("h2", "", grouped(to)))
  const phone = make("section", "phone", make("div", "screen", head, thread))
  phone.dataset["to"] = to
  const made = { phone, thread }
  byNumber.set(to, made)
  return made
}

/** @param {HTMLElement} thread */
const isAtEnd = (thread) => thread.scrollHeight - thread.scrollTop - thread.clientHeight < 40

/** @param {Message} message */
const show = (message) => {
  const { phone, thread } = phoneOf(message.to)
  const item = messageItem(message)
  const known = items.get(message.id)
  items.set(message.id, item)
  if (known !== undefined) {
    const wasAtEnd = isAtEnd(thread)
    item.classList.add("settled")
    known.replaceWith(item)
    if (wasAtEnd) thread.scrollTop = thread.scrollHeight
    return
  }
  thread.append(item)
  // The phone that rang last comes first.
  if (phones.firstChild !== phone) phones.prepend(phone)
  thread.scrollTop = thread.scrollHeight
}

const forgetOldest = () => {
  for (const [id, item] of items) {
    if (items.size <= maxMessages) return
    items.delete(id)
    const to = item.dataset["to"] ?? ""
    item.remove()
    const owner = byNumber.get(to)
    if (owner?.thread.childElementCount === 0) {
      owner.phone.remove()
      byNumber.delete(to)
    }
  }
}

const search = () => {
  const wanted = filter instanceof HTMLInputElement ? filter.value.replace(/\D/g, "") : ""
  let shown = 0
  for (const [to, { phone }] of byNumber) {
    phone.hidden = !to.includes(wanted)
    if (!phone.hidden) shown += 1
  }
  empty.hidden = shown > 0
  empty.textContent =
    byNumber.size === 0
      ? "No messages yet. Send one with the lines that the quickstart has printed, and it appears here by itself."
      : "No phone with these digits has a message."
}

/** @param {ReadonlyArray<Message>} messages Newest first. */
const showAll = (messages) => {
  items.clear()
  byNumber.clear()
  phones.replaceChildren()
  for (const message of messages.toReversed()) show(message)
  search()
}

/** @param {"live" | "lost"} state */
const connectionIs = (state) => {
  connection.dataset["state"] = state
  connection.textContent = state === "live" ? "Live" : "Reconnecting"
}

/**
 * What the server sends is made by this page's own server.
 * @param {Event} event
 */
const dataOf = (event) => JSON.parse(event instanceof MessageEvent ? event.data : "null")

const connect = () => {
  const events = new EventSource("/inbox/events")
  events.addEventListener("open", () => connectionIs("live"))
  events.addEventListener("snapshot", (event) => showAll(dataOf(event)))
  events.addEventListener("message", (event) => {
    show(dataOf(event))
    forgetOldest()
    search()
  })
  events.addEventListener("error", () => {
    connectionIs("lost")
    // A browser asks again by itself, unless it was answered with an error.
    if (events.readyState === EventSource.CLOSED) setTimeout(connect, retryMillis)
  })
}

filter.addEventListener("input", search)
connect()
