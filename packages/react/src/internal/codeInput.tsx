"use client"

import { OTPInput } from "input-otp"
import type { ReactElement } from "react"
import { english, type Texts } from "./texts.ts"
import { useCodeInput } from "./useCodeInput.ts"
import type { Verification } from "./useVerification.ts"

export interface CodeInputProps {
  readonly verification: Verification
  /** @defaultValue `english` */
  readonly texts?: Texts | undefined
  /** The id of the input, for a label. Without it the input is labelled by `texts.code`. */
  readonly id?: string | undefined
  /** The id of the element with the problem. */
  readonly "aria-describedby"?: string | undefined
  readonly className?: string | undefined
  /** For a policy that allows inline styles by a nonce: `input-otp` adds a style element. */
  readonly nonce?: string | undefined
}

/** One input that looks like a box for each digit, on the library `input-otp`. It checks a complete code by itself. */
export const CodeInput = (props: CodeInputProps): ReactElement => {
  const { className = "countersign-code", id, nonce, texts = english, verification } = props
  const { change, inputProps, length, value } = useCodeInput(verification)
  return (
    <OTPInput
      {...inputProps}
      {...(id === undefined ? { "aria-label": texts.code } : { id })}
      {...(nonce === undefined ? {} : { nonce })}
      aria-describedby={props["aria-describedby"]}
      containerClassName={className}
      maxLength={length}
      minLength={length}
      onChange={change}
      value={value}
      pushPasswordManagerStrategy="none"
      noScriptCSSFallback={null}
      render={({ slots }) => (
        <span aria-hidden className="countersign-slots">
          {slots.map(({ char, hasFakeCaret, isActive }, index) => (
            <span
              className="countersign-slot"
              data-active={isActive || undefined}
              data-caret={hasFakeCaret || undefined}
              key={index}
            >
              {char}
            </span>
          ))}
        </span>
      )}
    />
  )
}
