/**
 * Makes the page more comfortable: it changes without loading again, so that screen readers say what is new; it
 * counts down, and takes codes from messages. Without this script the same forms work.
 */

/** @param {string} id */
const element = (id) => {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`#${id} is missing`)
  return found
}

/** As in "30 seconds", in the language of the page. @param {number} seconds */
const timeIn = (seconds) =>
  new Intl.NumberFormat(document.documentElement.lang, {
    style: "unit",
    unit: "second",
    unitDisplay: "long",
  }).format(seconds)

/** Counts down until the code can be sent again. @param {AbortSignal} gone */
const countDown = (gone) => {
  const shown = document.getElementById("seconds")
  const again = document.getElementById("again")
  if (shown === null || !(again instanceof HTMLFieldSetElement)) return
  const end = Date.now() + Number(shown.dataset["seconds"]) * 1_000
  again.disabled = true
  const timer = setInterval(() => {
    const left = Math.ceil((end - Date.now()) / 1_000)
    if (left > 0) return void (shown.textContent = timeIn(left))
    clearInterval(timer)
    again.disabled = false
    element("wait").remove()
    element("ready").textContent = again.dataset["ready"] ?? ""
  }, 250)
  gone.addEventListener("abort", () => clearInterval(timer))
}

/** @param {string} code */
const signIn = (code) => {
  const input = document.getElementById("code")
  if (!(input instanceof HTMLInputElement)) return
  input.value = code
  input.form?.requestSubmit()
}

/** Takes the code from the SMS, where the browser can (WebOTP). @param {AbortSignal} gone */
const readMessage = async (gone) => {
  if (document.getElementById("code") === null || !("OTPCredential" in window)) return
  const options = { otp: { transport: ["sms"] }, signal: gone }
  try {
    const credential = await navigator.credentials.get(options)
    if (credential !== null && "code" in credential) signIn(String(credential.code))
  } catch {
    // The user has declined, or the step is over.
  }
}

/** A code in a pasted message. */
const codeIn = /(?<!\p{Nd})\p{Nd}{6}(?!\p{Nd})/u

document.addEventListener("paste", (event) => {
  const [code] = codeIn.exec(event.clipboardData?.getData("text") ?? "") ?? []
  if (code === undefined || event.target !== document.getElementById("code")) return
  event.preventDefault()
  signIn(code)
})

let step = new AbortController()

const begin = () => {
  step.abort()
  step = new AbortController()
  countDown(step.signal)
  void readMessage(step.signal)
}

/** @param {Document} next */
const show = (next) => {
  for (const id of ["news", "problem", "step"]) {
    const from = next.getElementById(id)
    if (from === null) throw new Error("This is not our page")
    element(id).replaceChildren(...from.childNodes)
  }
  element("ready").textContent = ""
  document.title = next.title
  const focus = document.querySelector("[autofocus]")
  if (focus instanceof HTMLElement) focus.focus()
  begin()
}

let isBusy = false

document.addEventListener("submit", async (event) => {
  const { submitter, target: form } = event
  event.preventDefault()
  if (isBusy || !(form instanceof HTMLFormElement)) return
  isBusy = true
  const fields = [...new FormData(form, submitter)].map(([name, value]) => [name, String(value)])
  try {
    const body = new URLSearchParams(fields)
    const response = await fetch(form.action, { method: "POST", body })
    show(new DOMParser().parseFromString(await response.text(), "text/html"))
  } catch {
    element("problem").textContent = document.body.dataset["unreachable"] ?? ""
  } finally {
    isBusy = false
  }
})

begin()
