/**
 * A problem with a field of a request: a code for programs, the parameters of the code, and an English
 * sentence. A host can translate by code and parameters.
 */

import type { Channel } from "./Channel.ts"

type None = Readonly<Record<string, never>>

interface Range {
  readonly min: number
  readonly max: number
}

/** The parameters of each code. */
export interface Params {
  /** The field is missing. */
  readonly required: None
  /** The value is not a string. */
  readonly not_string: None
  /** The value is not a list of strings. */
  readonly not_string_list: None
  /** The value is not a boolean. */
  readonly not_boolean: None
  /** The value is not a safe integer. */
  readonly not_integer: None
  /** The value is not an integer of at least 1. */
  readonly not_positive_integer: None
  /** The value is not an object. */
  readonly not_object: None
  /** The value is not a `Date`, or is an invalid one. */
  readonly not_date: None
  /** The text is not an ISO 8601 date, or date-time with an offset. */
  readonly not_iso_date: None
  /** The integer is below `min` or above `max`. */
  readonly out_of_range: Range
  /** The value is not one of `options`. */
  readonly unknown_option: { readonly options: ReadonlyArray<string> }
  /** The value is not one of the two channels. */
  readonly unknown_channel: None
  /** A query parameter occurs more than once. */
  readonly repeated: None
  /** The start of the time range is after its end. */
  readonly after_to: None

  /** The text has no characters. */
  readonly empty: None
  /** The text has more than `max` characters. */
  readonly too_long: { readonly max: number }
  /** The text has fewer than `min` or more than `max` characters. */
  readonly length_out_of_range: Range
  /** The text is not well-formed Unicode, or has a NUL character. */
  readonly malformed_text: None
  /** The text is longer than `max`, is not well-formed Unicode, or has a NUL character. */
  readonly invalid_note: { readonly max: number }
  /**
   * The text has fewer than `min` or more than `max` characters, or contains a character that is not
   * printable.
   */
  readonly not_printable: Range
  /**
   * The text has fewer than `min` or more than `max` characters, or contains a character that ids cannot
   * contain.
   */
  readonly invalid_id: Range

  /** The text is not an E.164 number. With `required`, it must begin with a plus. */
  readonly not_e164: { readonly plus: "required" | "optional" }
  /** The text contains characters that no phone number has. */
  readonly not_phone_number: None
  /** The number has no country code, and no country is given. */
  readonly no_country_code: None
  /** The numbering plan of the country has no such number. */
  readonly not_in_numbering_plan: None
  /** The host does not serve the country of the number. */
  readonly country_not_served: None
  /** A number policy of the host does not accept the number; `reason` is its sentence. */
  readonly number_not_accepted: { readonly reason: string }

  /** The organization has no such brand. */
  readonly brand_not_found: None
  /** The organization has no default sender for the channel. */
  readonly no_default_brand: { readonly channel: Channel }
  /** The brand belongs to the other channel. */
  readonly brand_wrong_channel: { readonly channel: Channel }
  /** The brand is pending or rejected. */
  readonly brand_not_approved: None
  /** A masking brand cannot be the default sender. */
  readonly masking_default: None

  /** The text is not a decimal with at most that many digits. */
  readonly not_decimal: { readonly wholeDigits: number; readonly fractionDigits: number }
  /** The amount is zero or negative. */
  readonly not_positive: None
  /** The amount is zero. */
  readonly zero: None
  /** The amount is above `max`, a decimal. */
  readonly too_large: { readonly max: string }
  /** The id begins with a prefix that is reserved. */
  readonly reserved_prefix: { readonly prefix: string }
  /** The payment id belongs to another booking, of this kind and amount. */
  readonly payment_id_reused: { readonly kind: string; readonly amount: string }

  /** An entry of the allow list is not an IP address or CIDR block. */
  readonly not_ip_block: { readonly entry: string }
  /** A limit is not an integer from `min` to `max`. `limit` is a path such as `codeLength.max`. */
  readonly limit_out_of_range: Range & { readonly limit: string }
  /** A limit is not an object with `max` and `default`. */
  readonly limit_not_object: { readonly limit: string }
  /** A limit that is an amount is not a string. */
  readonly limit_not_string: { readonly limit: string }
  /** A limit that is an amount is not a decimal with at most that many digits. */
  readonly limit_not_decimal: Params["not_decimal"] & { readonly limit: string }

  /** No gateway has this name. */
  readonly unknown_gateway: None
  /** The report is not a delivery report. */
  readonly unreadable: None
}

/** The code of a problem. */
export type Code = keyof Params

/**
 * A problem with a field. `C` is the union of its possible codes; `problem.code` narrows `problem.params`.
 */
export type FieldProblem<C extends Code = Code> = {
  readonly [K in C]: {
    readonly code: K
    readonly params: Params[K]
    /** An English sentence without its subject, which is the field. */
    readonly message: string
  }
}[C]

const decimal = ({ fractionDigits, wholeDigits }: Params["not_decimal"]): string =>
  `must be a decimal number with at most ${wholeDigits} digits before the point and ${fractionDigits} after it`

const sentences: { readonly [C in Code]: (params: Params[C]) => string } = {
  required: () => "is required",
  not_string: () => "must be a string",
  not_string_list: () => "must be a list of strings",
  not_boolean: () => "must be true or false",
  not_integer: () => "must be an integer",
  not_positive_integer: () => "must be a whole number from 1 on",
  not_object: () => "must be an object",
  not_date: () => "must be a valid Date",
  not_iso_date: () => "must be an ISO 8601 date, or date-time with offset",
  out_of_range: ({ max, min }) => `must be between ${min} and ${max}`,
  unknown_option: ({ options }) => `must be one of ${options.join(", ")}`,
  unknown_channel: () => "must be sms or whatsapp",
  repeated: () => "must be given once",
  after_to: () => "must not be after to",

  empty: () => "must not be empty",
  too_long: ({ max }) => `must be at most ${max} characters`,
  length_out_of_range: ({ max, min }) => `must have between ${min} and ${max} characters`,
  malformed_text: () => "must be well-formed Unicode without NUL characters",
  invalid_note: ({ max }) => `must be text of at most ${max} characters`,
  not_printable: ({ max, min }) => `must have ${min} to ${max} printable characters`,
  invalid_id: ({ max, min }) => `must have ${min} to ${max} characters of A-Z, a-z, 0-9, _ and -`,

  not_e164: ({ plus }) =>
    plus === "required"
      ? "must be in E.164 format with a leading plus, such as +8801712345678"
      : "must be in E.164 format, such as 8801712345678",
  not_phone_number: () => "must be a phone number",
  no_country_code: () => "must begin with a plus and the country code, such as +8801712345678",
  not_in_numbering_plan: () => "is not a valid number in its country's numbering plan",
  country_not_served: () => "numbers of this country are not served",
  number_not_accepted: ({ reason }) => reason,

  brand_not_found: () => "brand not found",
  no_default_brand: ({ channel }) => `no default sender for ${channel}`,
  brand_wrong_channel: ({ channel }) => `brand cannot send over ${channel}`,
  brand_not_approved: () => "brand is not approved",
  masking_default: () => "a masking brand cannot be the default sender",

  not_decimal: decimal,
  not_positive: () => "must be positive",
  zero: () => "must not be zero",
  too_large: ({ max }) => `must be at most ${max}`,
  reserved_prefix: ({ prefix }) => `must not begin with ${prefix}`,
  payment_id_reused: ({ amount, kind }) => `was booked with other values: ${kind} of ${amount}`,

  not_ip_block: ({ entry }) => `"${entry}" is no IP address or CIDR block`,
  limit_out_of_range: ({ limit, max, min }) =>
    `${limit} must be an integer between ${min} and ${max}`,
  limit_not_object: ({ limit }) => `${limit} must be an object with max and default`,
  limit_not_string: ({ limit }) => `${limit} must be a decimal as text`,
  limit_not_decimal: ({ limit, ...digits }) => `${limit} ${decimal(digits)}`,

  unknown_gateway: () => "must be the name of a gateway",
  unreadable: () => "cannot be read",
}

/** Makes a problem with the sentence of its code. */
export const make = <C extends Code>(code: C, params: Params[C]): FieldProblem<C> => ({
  code,
  params,
  message: sentences[code](params),
})

/** Whether a value was made by `make`. */
export const isFieldProblem = (value: unknown): value is FieldProblem =>
  typeof value === "object" &&
  value !== null &&
  "code" in value &&
  typeof value.code === "string" &&
  Object.hasOwn(sentences, value.code)
