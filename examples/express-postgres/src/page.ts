/**
 * The page: one of three steps, by the state of the session. Its forms work without JavaScript;
 * `public/app.js` makes them more comfortable.
 */
import type { Channel, Verification, VerificationHistory } from "countersign"
import { html, type Html } from "./html.ts"
import { explain, type Problem } from "./problems.ts"
import type { Session } from "./sessions.ts"
import { fill, type Language, timeIn, words } from "./words.ts"

export interface View {
  readonly language: Language
  /** The channels that users may choose. */
  readonly channels: ReadonlyArray<Channel>
  readonly now: Date
  readonly session: Session | undefined
  /** The state of the session's request, read from the engine. */
  readonly request: VerificationHistory | undefined
  readonly problem: Problem | undefined
  /** The number as the user typed it. */
  readonly typed: string | undefined
}

interface Step {
  /** Screen readers say it when the step appears. */
  readonly news: Html
  readonly forms: Html
}

const attributesOf = ({ problem }: View): Html =>
  html`autofocus ${problem?.isInvalid === true && html`aria-invalid="true"`}`

const shownNumber = (phoneNumber: string): Html => html`<bdi>${phoneNumber}</bdi>`

const numberStep = (view: View): Step => {
  const { language, session, typed } = view
  const { phoneNumber, phoneNumberHint, send } = words[language]
  const forms = html`
    <form method="post" action="/login/start">
      <label for="phone-number">${phoneNumber}</label>
      <input
        id="phone-number"
        name="phoneNumber"
        type="tel"
        inputmode="tel"
        autocomplete="tel"
        placeholder="01712-345678"
        value="${typed ?? session?.phoneNumber}"
        aria-describedby="problem hint"
        required
        ${attributesOf(view)}
      />
      <p id="hint" class="hint">${phoneNumberHint}</p>
      <button>${send}</button>
    </form>
  `
  return { news: html``, forms }
}

/** Sends the code again. The script disables the buttons until the countdown is over. */
const againForm = (
  { channels, language, now }: View,
  { resendAt }: Verification,
  channel: Channel,
): Html => {
  const { again, instead, ready, wait } = words[language]
  if (resendAt === null) return html``
  const seconds = Math.max(0, Math.ceil((resendAt.getTime() - now.getTime()) / 1_000))
  const time = html`<span id="seconds" data-seconds="${seconds}"
    >${timeIn(language, seconds)}</span
  >`
  const buttons = channels.map(
    (one) =>
      html`<button class="quiet" name="channel" value="${one}">
        ${one === channel ? again : instead[one]}
      </button>`,
  )
  return html`
    <form method="post" action="/login/resend">
      ${seconds > 0 && html`<p id="wait" class="hint">${fill(wait, { time })}</p>`}
      <fieldset id="again" data-ready="${ready}">${buttons}</fieldset>
    </form>
  `
}

const codeStep = (
  view: View,
  { messages: all, verification: request }: VerificationHistory,
): Step => {
  const { change, code, sent, sentAgain, signIn } = words[view.language]
  const { phoneNumber } = request
  // A message that has failed has brought no code.
  const messages = all.filter(({ status }) => status !== "failed")
  const channel = messages.at(-1)?.channel ?? request.channel
  const news = messages.length > 1 ? sentAgain : sent
  const forms = html`
    <form method="post" action="/login/verify">
      <label for="code">${code}</label>
      <input
        id="code"
        name="code"
        type="text"
        inputmode="numeric"
        autocomplete="one-time-code"
        aria-describedby="problem"
        required
        ${attributesOf(view)}
      />
      <button>${signIn}</button>
    </form>
    ${againForm(view, request, channel)}
    <form method="post" action="/login/cancel">
      <button class="quiet">${change}</button>
    </form>
  `
  return { news: fill(news[channel], { phoneNumber: shownNumber(phoneNumber) }), forms }
}

const insideStep = ({ language }: View, { phoneNumber }: Session): Step => {
  const { signedIn, signOut } = words[language]
  const forms = html`
    <form method="post" action="/logout">
      <button autofocus>${signOut}</button>
    </form>
  `
  return { news: fill(signedIn, { phoneNumber: shownNumber(phoneNumber) }), forms }
}

const stepOf = (view: View): Step => {
  const { request, session } = view
  const found = request?.verification
  if (session?.requestId === null) return insideStep(view, session)
  // A sign-in that was interrupted after the check goes on with the same request.
  const isWaiting =
    found?.status === "pending" || (found?.status === "verified" && !found.consumedAt)
  return isWaiting && request !== undefined ? codeStep(view, request) : numberStep(view)
}

/** A code that has ended in the meantime is a problem as well. */
const problemIn = ({ problem, request }: View): Problem | undefined => {
  const found = request?.verification
  const isCancelled = found?.status === "failed" && found.attemptsRemaining > 0
  if (problem?.code === "attempts_exhausted" && isCancelled) return { code: "cancelled" }
  if (problem !== undefined) return problem
  if (found?.status === "expired") return { code: "request_expired" }
  return found?.status === "failed" && !isCancelled ? { code: "attempts_exhausted" } : undefined
}

/** The script exchanges the contents of `news`, `problem` and `step`, and leaves the rest. */
export const render = (view: View): string => {
  const { language } = view
  const { otherLanguages, title, unreachable } = words[language]
  const problem = problemIn(view)
  const { forms, news } = stepOf(view)
  const explained = problem && explain(language, problem)
  const [other, name] = language === "en" ? ["bn", "বাংলা"] : ["en", "English"]
  const page = html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${explained && html`${explained} · `}${title}</title>
        <link rel="stylesheet" href="/style.css" />
        <script src="/app.js" type="module"></script>
      </head>
      <body data-unreachable="${unreachable}">
        <nav aria-label="${otherLanguages}">
          <a href="/?language=${other}" lang="${other}" hreflang="${other}">${name}</a>
        </nav>
        <main>
          <h1>${title}</h1>
          <p id="news" role="status">${news}</p>
          <p id="problem" class="problem" role="alert">${explained}</p>
          <div id="step">${forms}</div>
          <p id="ready" class="hint" role="status"></p>
        </main>
      </body>
    </html> `
  return page.text
}
