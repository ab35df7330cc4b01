/**
 * The page's script: shows the step that the session is at, and what the server says.
 */

/**
 * @template {HTMLElement} A
 * @param {string} id
 * @param {new () => A} type
 * @returns {A}
 */
const element = (id, type) => {
  const found = document.getElementById(id)
  if (!(found instanceof type)) throw new Error(`#${id} is missing`)
  return found
}

const numberForm = element("number", HTMLFormElement)
const codeForm = element("code", HTMLFormElement)
const inside = element("inside", HTMLElement)
const phoneNumber = element("phone-number", HTMLInputElement)
const code = element("one-time-code", HTMLInputElement)
const problem = element("problem", HTMLElement)
const news = element("news", HTMLElement)

/** @typedef {{ signedIn: boolean, phoneNumber: string | null }} Session */

/** Which number the code has gone to. */
let sentTo = ""

/** @param {Session} session */
const show = (session) => {
  sentTo = session.phoneNumber ?? ""
  for (const place of document.querySelectorAll("[data-number]")) place.textContent = sentTo
  numberForm.hidden = sentTo !== ""
  codeForm.hidden = sentTo === "" || session.signedIn
  inside.hidden = !session.signedIn
  code.value = ""
  if (!numberForm.hidden) phoneNumber.focus()
  if (!codeForm.hidden) code.focus()
}

/** @param {string} words */
const complain = (words) => {
  problem.textContent = words
  for (const input of [phoneNumber, code]) input.setAttribute("aria-invalid", String(words !== ""))
}

/**
 * Sends one request at a time, and gives what was answered; `undefined` when there was a problem, which is
 * on the page then.
 *
 * @param {string} path
 * @param {object} [body] makes it a POST
 * @returns {Promise<Session | undefined>}
 */
const ask = async (path, body) => {
  const buttons = document.querySelectorAll("button")
  complain("")
  news.textContent = ""
  buttons.forEach((button) => (button.disabled = true))
  try {
    const response = await fetch(
      path,
      body === undefined
        ? {}
        : {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify(body),
          },
    )
    const answer = await response.json()
    if (response.ok) return answer
    complain(answer.error)
  } catch {
    complain("The server cannot be reached. Please try again.")
  } finally {
    buttons.forEach((button) => (button.disabled = false))
  }
  return undefined
}

/**
 * @param {string} path
 * @param {object} [body]
 */
const step = async (path, body) => {
  const session = await ask(path, body)
  if (session !== undefined) show(session)
  return session !== undefined
}

numberForm.addEventListener("submit", (event) => {
  event.preventDefault()
  void step("/login/start", { phoneNumber: phoneNumber.value })
})

codeForm.addEventListener("submit", async (event) => {
  event.preventDefault()
  if (await step("/login/verify", { code: code.value })) return
  code.select()
  code.focus()
})

element("again", HTMLButtonElement).addEventListener("click", async () => {
  if (await step("/login/resend", {})) news.textContent = "A new code is on its way."
})

element("other", HTMLButtonElement).addEventListener("click", () => void step("/logout", {}))
element("leave", HTMLButtonElement).addEventListener("click", () => void step("/logout", {}))

void step("/me")
