"use client"

import {
  type ChangeEvent,
  type ClipboardEvent,
  type InputHTMLAttributes,
  type RefObject,
  useEffect,
  useRef,
  useState,
} from "react"
import { codeIn, digitsOf } from "./code.ts"
import type { Verification } from "./useVerification.ts"
import { receiveCode } from "./webOtp.ts"

/** The length of the codes while none is awaited. */
const defaultLength = 6

export interface CodeInputState {
  /** The digits so far. */
  readonly value: string
  readonly length: number
  /** Takes a text that a user or a browser has put in: keeps its digits, and checks a complete code at once. */
  readonly change: (text: string) => void
  /** Checks the code once more, for a button. Does nothing if it is not complete. */
  readonly submit: () => void
  /** The properties of one `<input>`. */
  readonly inputProps: Pick<
    InputHTMLAttributes<HTMLInputElement>,
    | "aria-invalid"
    | "autoComplete"
    | "inputMode"
    | "onChange"
    | "onPasteCapture"
    | "readOnly"
    | "required"
    | "type"
    | "value"
  > & { readonly ref: RefObject<HTMLInputElement | null> }
}

/**
 * An input for the code of a verification: autofill of iOS and Android, WebOTP, paste of the whole message, Bangla
 * digits. It checks a complete code by itself, once. It is emptied and focused after a wrong code.
 */
export const useCodeInput = (verification: Verification): CodeInputState => {
  const { check, state } = verification
  const [value, setValue] = useState("")
  const ref = useRef<HTMLInputElement>(null)
  const length =
    "request" in state && state.request !== null ? state.request.codeLength : defaultLength
  const isWaiting = state.status === "waiting"
  const isOpen = "request" in state
  const refusal =
    state.status === "waiting" && state.problem === state.rejected?.problem ? state.problem : null

  const enter = (code: string): void => {
    if (!isWaiting) return
    setValue(code)
    if (code.length === length) check(code)
  }
  const latest = useRef(enter)
  useEffect(() => {
    latest.current = enter
  })

  useEffect(() => {
    if (!isWaiting) return undefined
    return receiveCode((code) => latest.current(digitsOf(code, length)))
  }, [isWaiting, length])

  useEffect(() => {
    if (refusal === null) return
    setValue("")
    ref.current?.focus()
  }, [refusal])

  useEffect(() => {
    if (!isOpen) setValue("")
  }, [isOpen])

  const change = (text: string): void => enter(digitsOf(text, length))
  return {
    value,
    length,
    change,
    submit: () => {
      if (value.length === length) check(value)
    },
    inputProps: {
      ref,
      value,
      type: "text",
      inputMode: "numeric",
      autoComplete: "one-time-code",
      required: true,
      readOnly: !isWaiting,
      "aria-invalid": refusal !== null,
      onChange: (event: ChangeEvent<HTMLInputElement>) => change(event.currentTarget.value),
      // In the capture phase, before `input-otp` puts the text where the cursor is.
      onPasteCapture: (event: ClipboardEvent<HTMLInputElement>) => {
        event.preventDefault()
        event.stopPropagation()
        const code = codeIn(event.clipboardData.getData("text/plain"), length)
        if (code !== "") enter(code)
      },
    },
  }
}
