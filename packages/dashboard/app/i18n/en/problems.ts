/**
 * The texts of the problems of fields, by the code of the problem. The host's own sentences, which some problems carry,
 * stay as they are.
 */
import type { FieldProblemCode } from "countersign"

/** With the host's own sentence, or only in calls of the host. */
type OfHost =
  | "address_not_allowed"
  | "number_not_accepted"
  | "no_organization"
  | "not_message_id"
  | "not_request_id"
  | "request_id_taken"

export const problems = {
  problem: {
    required: "is required",
    unknown_field: "is not a field",
    not_string: "must be text",
    not_string_list: "must be a list of texts",
    not_boolean: "must be yes or no",
    not_integer: "must be a whole number",
    not_positive_integer: "must be a whole number from 1 on",
    not_object: "must be an object",
    not_date: "must be a date",
    not_in_future: "must be in the future",
    too_far_ahead: "must be at most {days} days ahead",
    not_after_send_at: "must be in the future, and after the time of sending",
    not_iso_date: "must be a date, or a time with its zone",
    out_of_range: "must be between {min} and {max}",
    not_duration: "must be a number with its unit: write “{write}”",
    duration_out_of_range: "must be between {min} and {max}",
    unknown_zone: "must be a zone such as Asia/Dhaka",
    not_time_of_day: "must be a time such as 22:00",
    quiet_hours_length: "must be up to {max} hours after the start",
    unknown_option: "must be one of {options}",
    unknown_channel: "must be SMS or WhatsApp",
    channel_not_allowed: "is not allowed for codes",
    repeated: "must be given once",
    invalid_cursor: "does not lead to a page of this list; begin at its newest page",
    after_to: "must not be after the end",
    empty: "must not be empty",
    too_long: "must be at most {max} characters",
    length_out_of_range: "must have between {min} and {max} characters",
    malformed_text: "has characters that cannot be stored",
    invalid_note: "must be text of at most {max} characters",
    not_printable: "must have {min} to {max} printable characters",
    invalid_id: "must have {min} to {max} characters of A-Z, a-z, 0-9, _ and -",
    invalid_purpose:
      "must have 1 to {max} characters of a-z, 0-9, _, . and -, and begin with a letter or digit",
    invalid_metadata: "must be a JSON object of at most {maxBytes} bytes",
    not_e164: "must be in E.164 format, such as +8801712345678",
    not_phone_number: "must be a phone number",
    no_country_code: "must begin with a plus and the country code, such as +8801712345678",
    not_in_numbering_plan: "is not a valid number in its country’s numbering plan",
    country_not_served: "numbers of this country are not served",
    prefix_blocked: "numbers with this prefix are blocked",
    brand_not_found: "sender not found",
    no_default_brand: "there is no default sender for {channel}",
    brand_wrong_channel: "the sender cannot send over {channel}",
    brand_wrong_class: "the sender has another class",
    brand_not_approved: "the sender is not approved",
    masking_default: "a name cannot be the default sender",
    not_decimal:
      "must be a decimal number with at most {wholeDigits} digits before the point and {fractionDigits} after it",
    not_positive: "must be positive",
    zero: "must not be zero",
    too_large: "must be at most {max}",
    reserved_prefix: "must not begin with {prefix}",
    payment_id_reused: "was booked with other values: {kind} of {amount}",
    not_url: "must be an absolute URL without user name and password",
    too_many: "there can be at most {max}",
    too_many_entries: "must be earlier: a statement can have at most {max} entries",
    too_many_slots: "must be earlier: a period can have at most {max} hours or days",
    shuts_out: "does not admit your address {address}",
    not_ip_block: "“{entry}” is no IP address or CIDR block",
    not_prefix: "“{entry}” is no prefix of 1 to 15 digits that begins with a country code",
    limit_out_of_range: "must be a whole number between {min} and {max}",
    limit_not_window: "must be written as “10 in 1 minute”, with at most four limits",
    limit_not_duration: "must have a number with its unit: write “{write}”",
    limit_duration_out_of_range: "must be between {min} and {max}",
    limit_not_object: "must have a maximum and a default",
    limit_not_string: "must be a decimal number",
    limit_not_decimal:
      "must be a decimal number with at most {wholeDigits} digits before the point and {fractionDigits} after it",
    not_recipients: "must be a list",
    no_valid_recipient: "has no valid recipient",
    unknown_gateway: "must be the name of a gateway",
    not_kept: "is not kept any more",
    unreadable: "cannot be read",
  } satisfies Readonly<Record<Exclude<FieldProblemCode, OfHost>, string>>,
}
