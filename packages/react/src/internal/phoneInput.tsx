"use client"

import { type InputHTMLAttributes, type ReactElement, useEffect, useRef } from "react"
import { english, type Texts } from "./texts.ts"

type Attributes = Omit<
  InputHTMLAttributes<HTMLInputElement>,
  "autoComplete" | "defaultValue" | "inputMode" | "onChange" | "type" | "value"
>

export interface PhoneInputProps extends Attributes {
  /** As the user typed it. */
  readonly value: string
  readonly onChange: (typed: string) => void
  /**
   * Returns the E.164 form of a number, or `undefined` for text that is not a phone number. `parsePhoneNumber` from
   * `countersign/phone` does this, with 52 kB of numbering plans. With `parse`, an invalid number cannot be sent.
   *
   * @defaultValue the server judges the number
   */
  readonly parse?: ((typed: string) => string | undefined) | undefined
  /** @defaultValue `english` */
  readonly texts?: Texts | undefined
}

/** A plain field for a phone number, which the browser and its keyboard know how to fill in. */
export const PhoneInput = (props: PhoneInputProps): ReactElement => {
  const { onChange, parse, texts = english, value, ...attributes } = props
  const isInvalid = parse !== undefined && value !== "" && parse(value) === undefined
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.setCustomValidity(isInvalid ? texts.invalidPhoneNumber : ""))
  useEffect(() => {
    // What the user typed before the page had its scripts. The next render would erase it.
    const typed = field.current?.value
    if (typed !== undefined && typed !== value) onChange(typed)
  }, [])
  return (
    <input
      dir="ltr"
      required
      {...attributes}
      ref={field}
      type="tel"
      inputMode="tel"
      autoComplete="tel"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}
