/**
 * Shows the messages of the inbox by phone, and keeps the page up to date. Any caller of the service can choose a
 * text, so the page inserts texts as text nodes only.
 */

/**
 * @typedef {object} Message
 * @property {string} id
 * @property {string} to
 * @property {string} channel
 * @property {string} sender
 * @property {string} text
 * @property {string | null} code
 * @property {string} at
 * @property {string} outcome
 * @property {{ encoding: string, count: number } | null} segments
 * @property {string | null} price
 * @property {string | null} currency
 * @property {boolean} open
 * @typedef {{ words: string, reached: "yes" | "no" | "unsure" }} Outcome
 */

/** Number of messages that the server keeps. */
const maxMessages = 500

const retryMillis = 2_000

/**
 * The label of each outcome, and whether the message reached the phone.
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

/**
 * The actions for an open message: the label, the query of the request, and the notice after it.
 * @type {ReadonlyArray<readonly [string, string, string]>}
 */
const actions = [
  ["Deliver", "status=delivered", "Reported as delivered"],
  ["Fail", "status=undelivered", "Reported as not delivered"],
  ["Deliver in 5 s", "status=delivered&after=5", "The report comes in 5 seconds"],
  ["Never report", "status=never", "No report will come"],
]

const channels = new Map([
  ["sms", "SMS"],
  ["whatsapp", "WhatsApp"],
])

/**
 * Addresses are relative to this script, because the host chooses the path of the inbox.
 * @param {string} path
 */
const address = (path) => new URL(path, import.meta.url)

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
const delivery = element("delivery")
const seconds = element("seconds")

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
 * Groups the digits of a phone number for readers.
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
 * Copies a text, and returns a notice about the result. Works without permission to write to the clipboard
 * and without a secure context as well, as on a phone in the same network.
 * @param {string} text
 * @param {Node} shown The node with the text. It is selected if copying fails.
 */
const copy = async (text, shown) => {
  try {
    await navigator.clipboard.writeText(text)
    return "Copied"
  } catch {
    const focused = document.activeElement
    const area = document.createElement("textarea")
    area.value = text
    document.body.append(area)
    area.select()
    const isCopied = document.execCommand("copy")
    area.remove()
    if (focused instanceof HTMLElement) focused.focus()
    if (isCopied) return "Copied"
    getSelection()?.selectAllChildren(shown)
    return "Press Ctrl+C"
  }
}

/** @param {string} code */
const codeButton = (code) => {
  const digits = make("span", "digits", code)
  const label = make("span", "copy", "Copy")
  const button = make("button", "code", digits, label)
  button.setAttribute("type", "button")
  button.setAttribute("aria-label", `Copy code ${code}`)
  button.addEventListener("click", async () => {
    const words = await copy(code, digits)
    label.textContent = words
    announcement.textContent = words
    setTimeout(() => (label.textContent = "Copy"), 1_500)
  })
  return button
}

/**
 * Sends a request, and returns the notice to show: `done`, or the error.
 * @param {string} method
 * @param {string} path
 * @param {string} done
 */
const request = async (method, path, done) => {
  try {
    const answer = await fetch(address(path), { method })
    return answer.ok ? done : String((await answer.json()).error)
  } catch {
    return "The server does not answer"
  }
}

/** @param {string} id */
const actionButtons = (id) => {
  const note = make("span", "note")
  const buttons = actions.map(([name, query, done]) => {
    const button = make("button", "plain", name)
    button.setAttribute("type", "button")
    button.addEventListener("click", async () => {
      const path = `messages/${encodeURIComponent(id)}/report?${query}`
      const words = await request("POST", path, done)
      note.textContent = words
      announcement.textContent = words
    })
    return button
  })
  const group = make("div", "actions", ...buttons, note)
  group.setAttribute("role", "group")
  group.setAttribute("aria-label", "What becomes of this message")
  return group
}

/**
 * @param {Message} message
 * @param {Outcome["reached"]} reached A message that does not reach the phone is refunded.
 */
const badges = ({ currency, price, segments }, reached) => {
  const cost = `${price} ${currency}`
  const parts = [
    ...(segments === null ? [] : [segments.encoding, countOf(segments.count)]),
    ...(price === null
      ? []
      : [reached === "no" && Number(price) > 0 ? `${cost} given back` : cost]),
  ]
  return make("p", "badges", ...parts.map((words) => make("span", "badge", words)))
}

/** @param {number} segments */
const countOf = (segments) => (segments === 1 ? "1 segment" : `${segments} segments`)

/** @param {Message} message */
const messageItem = (message) => {
  const { at, channel, code, id, open, outcome, sender, text, to } = message
  const { reached, words } = outcomes.get(outcome) ?? { reached: "yes", words: outcome }
  const item = make(
    "li",
    "message",
    make("p", "from", make("b", "", sender), channels.get(channel) ?? channel),
    make("div", "bubble", make("p", "text", text), ...(code === null ? [] : [codeButton(code)])),
    badges(message, reached),
    make("p", "outcome", make("b", "", words), open ? "still open" : "final", timeOf(at)),
    ...(open ? [actionButtons(id)] : []),
  )
  Object.assign(item.dataset, { id, to, channel, outcome, reached })
  return item
}

/**
 * Message items by id, oldest first, with the words to search in.
 * @type {Map<string, { item: HTMLElement, words: string }>}
 */
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

/**
 * Returns the text in lower case with ASCII digits, so that a search ignores case and finds Bangla digits.
 * @param {string} text
 */
const searchable = (text) =>
  text.toLowerCase().replace(/[০-৯]/g, (digit) => String(digit.charCodeAt(0) - 0x09e6))

/** @param {Message} message */
const show = (message) => {
  const { phone, thread } = phoneOf(message.to)
  const item = messageItem(message)
  const known = items.get(message.id)?.item
  items.set(message.id, { item, words: searchable(`${message.sender}\n${message.text}`) })
  if (known !== undefined) {
    const wasAtEnd = isAtEnd(thread)
    const hadFocus = known.contains(document.activeElement)
    item.classList.add("settled")
    known.replaceWith(item)
    // The pressed button is gone, so the focus moves to the new item of the message.
    if (hadFocus) (item.querySelector("button") ?? thread).focus({ preventScroll: true })
    if (wasAtEnd) thread.scrollTop = thread.scrollHeight
    return
  }
  thread.append(item)
  // The phone with the newest message comes first.
  if (phones.firstChild !== phone) phones.prepend(phone)
  thread.scrollTop = thread.scrollHeight
}

const forgetOldest = () => {
  for (const [id, { item }] of items) {
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

/** Searches senders and texts for the words, and phone numbers for digits in any grouping. */
const search = () => {
  const wanted = filter instanceof HTMLInputElement ? searchable(filter.value.trim()) : ""
  const digits = /^[\d\s()+-]+$/.test(wanted) ? wanted.replace(/\D/g, "") : ""
  const shown = new Set()
  for (const { item, words } of items.values()) {
    const to = item.dataset["to"] ?? ""
    item.hidden = !(words.includes(wanted) || (digits !== "" && to.includes(digits)))
    if (!item.hidden) shown.add(to)
  }
  for (const [to, { phone }] of byNumber) phone.hidden = !shown.has(to)
  empty.hidden = shown.size > 0
  empty.textContent =
    byNumber.size === 0
      ? "No messages yet. Send one to any number, and it appears here by itself."
      : "No number and no message has this in it."
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
 * Parses the data of an event. It comes from this page's own server, so its shape is known.
 * @param {Event} event
 */
const dataOf = (event) => JSON.parse(event instanceof MessageEvent ? event.data : "null")

/** @param {string} value */
const radioOf = (value) => delivery.querySelector(`input[value="${value}"]`)

/** The delivery mode that the server reported last. @type {"at-once" | "by-hand" | number | undefined} */
let current

/** Shows when messages arrive. */
const showDelivery = () => {
  if (current === undefined) return
  const when = current
  const isTimed = typeof when === "number"
  if (isTimed && seconds instanceof HTMLInputElement) seconds.value = String(when)
  const radio = radioOf(isTimed ? "seconds" : when)
  if (radio instanceof HTMLInputElement) radio.checked = true
  delivery.dataset["when"] = String(when)
  delivery.removeAttribute("disabled")
}

/** If the server rejects the chosen mode, shows the previous mode again. */
const chooseDelivery = async () => {
  const chosen = delivery.querySelector("input:checked")
  if (!(chosen instanceof HTMLInputElement && seconds instanceof HTMLInputElement)) return
  const isTimed = chosen.value === "seconds"
  if (isTimed && !seconds.reportValidity()) return
  const when = isTimed ? seconds.value : chosen.value
  const path = `delivery?when=${encodeURIComponent(when)}`
  const done = "New messages arrive like this from now on"
  const words = await request("PUT", path, done)
  announcement.textContent = words
  if (words !== done) showDelivery()
}

const connect = () => {
  const events = new EventSource(address("events"))
  events.addEventListener("open", () => connectionIs("live"))
  events.addEventListener("snapshot", (event) => showAll(dataOf(event)))
  events.addEventListener("delivery", (event) => {
    current = dataOf(event)
    showDelivery()
  })
  events.addEventListener("message", (event) => {
    show(dataOf(event))
    forgetOldest()
    search()
  })
  events.addEventListener("error", () => {
    connectionIs("lost")
    // A browser reconnects by itself, except after an error response.
    if (events.readyState === EventSource.CLOSED) setTimeout(connect, retryMillis)
  })
}

filter.addEventListener("input", search)
delivery.addEventListener("change", (event) => {
  const radio = event.target === seconds ? radioOf("seconds") : null
  if (radio instanceof HTMLInputElement) radio.checked = true
  void chooseDelivery()
})
element("clear").addEventListener("click", async () => {
  announcement.textContent = await request("DELETE", "messages", "All messages are gone")
})
connect()
