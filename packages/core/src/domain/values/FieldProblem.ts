/**
 * A problem with a field of a request: a code and its parameters, which a host can translate, and an English
 * sentence.
 */
import type { Channel } from "./Channel.ts"
import type { MessageClass } from "./MessageClass.ts"

interface Range {
  readonly min: number
  readonly max: number
}

interface Max {
  readonly max: number
}

interface Digits {
  readonly wholeDigits: number
  readonly fractionDigits: number
}

interface Limited {
  /** A path such as `codeLength.max`. */
  readonly limit: string
}

/** `write`: the text that the caller probably means, such as `60 seconds`. */
interface Write {
  readonly write: string
}

/** Texts such as `5 minutes`. */
interface Durations {
  readonly min: string
  readonly max: string
}

const duration = ({ write }: Write): string => `must be a number with its unit: write "${write}"`

const decimal = ({ fractionDigits, wholeDigits }: Digits): string =>
  `must be a decimal number with at most ${wholeDigits} digits before the point and ${fractionDigits} after it`

/** The sentence of each code, without its subject, which is the field. */
const sentences = {
  required: () => "is required",
  /** The input has no such field. `meant` is the most similar one that it has. */
  unknown_field: ({ meant }: { readonly meant: string | null }) =>
    meant === null ? "is not a field of this input" : `is not a field; did you mean ${meant}?`,
  /** The host has no default organization, and the call is for none. */
  no_organization: () =>
    "must be named by organization(id), because there is no default organization",
  not_string: () => "must be a string",
  not_string_list: () => "must be a list of strings",
  not_boolean: () => "must be true or false",
  /** Not a safe integer. */
  not_integer: () => "must be an integer",
  not_positive_integer: () => "must be a whole number from 1 on",
  not_object: () => "must be an object",
  not_date: () => "must be a valid Date",
  not_in_future: () => "must be in the future",
  /** A time after `days` days. */
  too_far_ahead: ({ days }: { readonly days: number }) => `must be at most ${days} days ahead`,
  not_after_send_at: () => "must be in the future, and after sendAt",
  not_iso_date: () => "must be an ISO 8601 date, or date-time with offset",
  out_of_range: ({ max, min }: Range) => `must be between ${min} and ${max}`,
  not_duration: duration,
  duration_out_of_range: ({ max, min }: Durations) => `must be between ${min} and ${max}`,
  unknown_zone: () => 'must be a zone of the tz database: write "Asia/Dhaka" or "UTC"',
  not_time_of_day: () => 'must be a time of day: write "22:00"',
  quiet_hours_length: ({ max }: Max) =>
    `must differ from from, and be at most ${max} hours after it`,
  unknown_option: ({ options }: { readonly options: ReadonlyArray<string> }) =>
    `must be one of ${options.join(", ")}`,
  unknown_channel: () => "must be sms or whatsapp",
  channel_not_allowed: () => "is not allowed for codes",
  /** A query parameter occurs more than once. */
  repeated: () => "must be given once",
  invalid_cursor: () => "must be a cursor of the search",
  after_to: () => "must not be after to",
  too_many_entries: ({ max }: Max) =>
    `must be closer to from, because a period can have at most ${max} ledger entries`,
  /** Hours or days of totals. */
  too_many_slots: ({ max }: Max) =>
    `must be closer to from, because a period can have at most ${max} slots`,

  empty: () => "must not be empty",
  too_long: ({ max }: Max) => `must be at most ${max} characters`,
  length_out_of_range: ({ max, min }: Range) => `must have between ${min} and ${max} characters`,
  malformed_text: () => "must be well-formed Unicode without NUL characters",
  /** Longer than `max`, not well-formed Unicode, or with a NUL character. */
  invalid_note: ({ max }: Max) => `must be text of at most ${max} characters`,
  not_printable: ({ max, min }: Range) => `must have ${min} to ${max} printable characters`,
  invalid_id: ({ max, min }: Range) =>
    `must have ${min} to ${max} characters of A-Z, a-z, 0-9, _ and -`,

  not_message_id: () => "must be msg_ and 44 digits of 0-9 and a-f",
  not_request_id: () => "must be an id that newRequestId has returned",
  /** Another request has the id. */
  request_id_taken: () => "was used for another request",
  invalid_purpose: ({ max }: Max) =>
    `must have 1 to ${max} characters of a-z, 0-9, _, . and -, and begin with a letter or digit`,
  /** Not the JSON text of an object, or too long. */
  invalid_metadata: ({ maxBytes }: { readonly maxBytes: number }) =>
    `must be a JSON object of at most ${maxBytes} bytes`,

  not_e164: ({ plus }: { readonly plus: "required" | "optional" }) =>
    plus === "required"
      ? "must be in E.164 format with a leading plus, such as +8801712345678"
      : "must be in E.164 format, such as 8801712345678",
  /** The text contains characters that no phone number has. */
  not_phone_number: () => "must be a phone number",
  /** The number has no country code, and no country is given. */
  no_country_code: () => "must begin with a plus and the country code, such as +8801712345678",
  not_in_numbering_plan: () => "is not a valid number in its country's numbering plan",
  country_not_served: () => "numbers of this country are not served",
  /** The organization has blocked the prefix of the number. */
  prefix_blocked: () => "numbers with this prefix are blocked",
  /** A number policy of the host does not accept the number; `reason` is its sentence. */
  number_not_accepted: ({ reason }: { readonly reason: string }) => reason,

  brand_not_found: () => "brand not found",
  no_default_brand: ({ channel }: { readonly channel: Channel }) =>
    `no default sender for ${channel}`,
  brand_wrong_channel: ({ channel }: { readonly channel: Channel }) =>
    `brand cannot send over ${channel}`,
  brand_wrong_class: ({ class: messageClass }: { readonly class: MessageClass }) =>
    `brand cannot send ${messageClass} messages`,
  brand_not_approved: () => "brand is not approved",
  masking_default: () => "a masking brand cannot be the default sender",

  not_decimal: decimal,
  not_positive: () => "must be positive",
  zero: () => "must not be zero",
  /** `max` is a decimal. */
  too_large: ({ max }: { readonly max: string }) => `must be at most ${max}`,
  reserved_prefix: ({ prefix }: { readonly prefix: string }) => `must not begin with ${prefix}`,
  /** The payment id belongs to another booking, of this kind and amount. */
  payment_id_reused: ({ amount, kind }: { readonly kind: string; readonly amount: string }) =>
    `was booked with other values: ${kind} of ${amount}`,

  not_url: () => "must be an absolute URL without user name and password",
  /** The host does not allow deliveries to this address. */
  address_not_allowed: ({ reason }: { readonly reason: string }) => reason,
  too_many: ({ max }: Max) => `there can be at most ${max}`,

  not_ip_block: ({ entry }: { readonly entry: string }) =>
    `"${entry}" is no IP address or CIDR block`,
  /** An allow list without the address of the request that sets it. */
  shuts_out: ({ address }: { readonly address: string }) =>
    `does not admit your address ${address}`,
  not_prefix: ({ entry }: { readonly entry: string }) =>
    `"${entry}" is no prefix of 1 to 15 digits that begins with a country code`,
  limit_out_of_range: ({ limit, max, min }: Limited & Range) =>
    `${limit} must be an integer between ${min} and ${max}`,
  limit_not_window: ({ limit, max, min }: Limited & Range) =>
    `${limit} must be { max, per }, or a list of ${min} to ${max} of them`,
  limit_not_duration: ({ limit, write }: Limited & Write) => `${limit} ${duration({ write })}`,
  limit_duration_out_of_range: ({ limit, max, min }: Limited & Durations) =>
    `${limit} must be between ${min} and ${max}`,
  limit_not_object: ({ limit }: Limited) => `${limit} must be an object with max and default`,
  limit_not_string: ({ limit }: Limited) => `${limit} must be a decimal as text`,
  limit_not_decimal: ({ limit, ...digits }: Limited & Digits) => `${limit} ${decimal(digits)}`,

  /** The recipients of a batch. */
  not_recipients: () => "must be an array, or another iterable of recipients",
  /** None of the recipients of a batch is valid. */
  no_valid_recipient: () => "must have a recipient that is valid",

  unknown_gateway: () => "must be the name of a gateway",
  /** Retention has dropped it, or it never was. */
  not_kept: () => "is not kept any more",
  unreadable: () => "cannot be read",
} as const

export type Code = keyof typeof sentences

export type Params = {
  readonly [C in Code]: Parameters<(typeof sentences)[C]> extends [infer P]
    ? P
    : Readonly<Record<string, never>>
}

/** A problem with a field. `C` is the union of its possible codes; `code` narrows `params`. */
export type FieldProblem<C extends Code = Code> = {
  readonly [K in C]: {
    readonly code: K
    readonly params: Params[K]
    /** An English sentence without its subject, which is the field. */
    readonly message: string
  }
}[C]

const sentenceOf: { readonly [C in Code]: (params: Params[C]) => string } = sentences

/** Makes a problem with the sentence of its code. */
export const make = <C extends Code>(code: C, params: Params[C]): FieldProblem<C> => ({
  code,
  params,
  message: sentenceOf[code](params),
})

/** Whether a value was made by `make`. */
export const isFieldProblem = (value: unknown): value is FieldProblem =>
  typeof value === "object" &&
  value !== null &&
  "code" in value &&
  typeof value.code === "string" &&
  Object.hasOwn(sentences, value.code)
