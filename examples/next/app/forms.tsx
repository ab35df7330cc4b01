"use client"

import { useActionState } from "react"
import { type Outcome, sendAgain, signOut, start, verify } from "./actions.ts"

const untouched: Outcome = { problem: "" }

export const NumberForm = () => {
  const [{ problem }, act, isPending] = useActionState(start, untouched)
  return (
    <form action={act}>
      <label htmlFor="phone-number">
        Phone number, with its country code outside of Bangladesh
      </label>
      <input
        id="phone-number"
        name="phoneNumber"
        type="tel"
        inputMode="tel"
        autoComplete="tel"
        placeholder="01712-345678"
        aria-describedby="problem"
        required
      />
      <button disabled={isPending}>Send me a code</button>
      <p id="problem" role="alert">
        {problem}
      </p>
    </form>
  )
}

export const CodeForm = ({ phoneNumber }: { readonly phoneNumber: string }) => {
  const [checked, check, isChecking] = useActionState(verify, untouched)
  const [again, askAgain, isSending] = useActionState(sendAgain, untouched)
  return (
    <>
      <form action={check}>
        <p>We have sent a code to {phoneNumber}.</p>
        <label htmlFor="code">Code from the message</label>
        <input
          id="code"
          name="code"
          type="text"
          inputMode="numeric"
          autoComplete="one-time-code"
          aria-describedby="problem"
          required
        />
        <button disabled={isChecking}>Sign in</button>
        <p id="problem" role="alert">
          {checked.problem || again.problem}
        </p>
      </form>
      <form action={askAgain}>
        <button disabled={isSending}>Send the code again</button>
      </form>
      <form action={signOut}>
        <button>Use another number</button>
      </form>
    </>
  )
}
