"use client"

import { type FormEvent, type ReactElement, useEffect, useId, useRef, useState } from "react"
import { CodeInput } from "./codeInput.tsx"
import { PhoneInput, type PhoneInputProps } from "./phoneInput.tsx"
import { english, problemText, sentText, type Texts, withTime } from "./texts.ts"
import type { Channel } from "./types.ts"
import { useVerification, type Verification, type VerificationOptions } from "./useVerification.ts"
import type { VerificationState, VerifiedState } from "./verification.ts"

interface Looks {
  /** @defaultValue `english` */
  readonly texts?: Texts | undefined
  /** The channel of the first message. @defaultValue the default of the server */
  readonly channel?: Channel | undefined
  /** The locale of the message, such as `bn-bd`. @defaultValue the default of the server */
  readonly locale?: string | undefined
  /** `false` if the host chooses the number in `onStart`. @defaultValue `true` */
  readonly asksNumber?: boolean | undefined
  /** Checks the number in the page: see `PhoneInput`. */
  readonly parse?: PhoneInputProps["parse"]
  readonly className?: string | undefined
  /** See `CodeInput`. */
  readonly nonce?: string | undefined
}

export type VerificationFormProps = VerificationOptions & Looks

type StepName = "phoneNumber" | "code" | "failed" | "verified"

const stepOf = (state: VerificationState): StepName => {
  if ("request" in state && state.request !== null) return "code"
  return state.status === "failed" || state.status === "verified" ? state.status : "phoneNumber"
}

/** The text that a screen reader announces for the state, politely. */
const statusText = (state: VerificationState, texts: Texts): string => {
  switch (state.status) {
    case "sending":
      return texts.sending
    case "checking":
      return texts.checking
    case "waiting":
      return sentText(state.request, texts)
    case "verified":
      return texts.verified
    default:
      return ""
  }
}

const followRedirect = ({ data }: VerifiedState): void => {
  const isRedirect = typeof data === "object" && data !== null && "redirectedTo" in data
  if (isRedirect && typeof data.redirectedTo === "string") window.location.assign(data.redirectedTo)
}

/** Moves the focus to the first field or button of a new step, unless the user is elsewhere on the page. */
const useFocusOfStep = (step: StepName) => {
  const form = useRef<HTMLFormElement>(null)
  const shown = useRef(step)
  useEffect(() => {
    if (shown.current === step) return
    shown.current = step
    const { activeElement, body } = document
    if (activeElement !== null && activeElement !== body && !form.current?.contains(activeElement))
      return
    form.current?.querySelector<HTMLElement>("input, button")?.focus({ preventScroll: true })
  }, [step])
  return form
}

interface PartProps {
  readonly verification: Verification
  readonly texts: Texts
}

/** When the code expires, and the button that sends it again. */
const Resend = ({ texts, verification }: PartProps): ReactElement => {
  const { expiresInSeconds, resend, resendInSeconds } = verification
  return (
    <>
      {expiresInSeconds === null ? null : (
        <p className="countersign-time">{withTime(texts.expiresIn, expiresInSeconds, texts)}</p>
      )}
      {resendInSeconds === null ? null : (
        <button
          type="button"
          // Not `disabled`, which would take the focus away from it.
          aria-disabled={resendInSeconds > 0}
          onClick={({ currentTarget }) => {
            if (resendInSeconds > 0) return
            currentTarget.form?.querySelector("input")?.focus()
            resend()
          }}
        >
          {resendInSeconds === 0 ? texts.resend : withTime(texts.resendIn, resendInSeconds, texts)}
        </button>
      )}
    </>
  )
}

/**
 * The whole form: number, code, resend, problems, in one `<form>` without styles of its own. Import
 * `@countersign/react/styles.css`, or style its classes. Without `onVerified` it follows a redirect of the host.
 */
export const VerificationForm = (props: VerificationFormProps): ReactElement => {
  const { asksNumber = true, channel, className = "countersign" } = props
  const { locale, nonce, parse, texts = english } = props
  const { onVerified = followRedirect } = props
  const verification = useVerification(
    props.fetcher === undefined
      ? { basePath: props.basePath, onVerified }
      : { fetcher: props.fetcher, onVerified },
  )
  const { cancel, check, start, state } = verification
  const step = stepOf(state)
  const form = useFocusOfStep(step)
  const [typed, setTyped] = useState("")
  const id = useId()
  const problem = "problem" in state ? state.problem : null

  const sendTo = (entered: string): void => {
    const phoneNumber = asksNumber ? (parse?.(entered) ?? entered) : undefined
    start({ phoneNumber, channel, locale })
  }

  const onSubmit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    if (step === "phoneNumber") sendTo(typed)
    if (state.status === "waiting") {
      // It was checked when it became complete; here it is tried again, after a problem such as `network`.
      const code = form.current?.querySelector("input")?.value
      if (code?.length === state.request.codeLength) check(code)
    }
    if (state.status === "failed") sendTo(state.phoneNumber)
  }

  return (
    <form
      aria-busy={state.status === "sending" || state.status === "checking"}
      className={className}
      lang={texts.language}
      onSubmit={onSubmit}
      ref={form}
    >
      <p className="countersign-status" role="status">
        {statusText(state, texts)}
      </p>
      {step === "phoneNumber" && asksNumber ? (
        <>
          <label htmlFor={`${id}number`}>{texts.phoneNumber}</label>
          <PhoneInput
            aria-describedby={`${id}problem`}
            id={`${id}number`}
            onChange={setTyped}
            parse={parse}
            readOnly={state.status === "sending"}
            texts={texts}
            value={typed}
          />
        </>
      ) : null}
      {step === "code" ? (
        <>
          <label htmlFor={`${id}code`}>{texts.code}</label>
          <CodeInput
            aria-describedby={`${id}problem`}
            id={`${id}code`}
            nonce={nonce}
            texts={texts}
            verification={verification}
          />
        </>
      ) : null}
      <p className="countersign-problem" id={`${id}problem`} role="alert">
        {problem === null ? "" : problemText(problem, texts)}
      </p>
      {step === "verified" ? null : (
        <button type="submit">
          {step === "code" ? texts.checkCode : step === "failed" ? texts.newCode : texts.sendCode}
        </button>
      )}
      {step === "code" ? <Resend texts={texts} verification={verification} /> : null}
      {(step === "code" || step === "failed") && asksNumber ? (
        <button type="button" onClick={cancel}>
          {texts.changeNumber}
        </button>
      ) : null}
    </form>
  )
}
