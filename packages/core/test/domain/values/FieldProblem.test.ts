import { assert, describe, expectTypeOf, it } from "@effect/vitest"
import { InvalidRequest } from "../../../src/domain/errors/Errors.ts"
import * as FieldProblem from "../../../src/domain/values/FieldProblem.ts"

/** The sentence of each code: what answers over HTTP say. */
const problems: {
  readonly [C in FieldProblem.Code]: readonly [FieldProblem.Params[C], sentence: string]
} = {
  address_not_allowed: [{ reason: "must use https" }, "must use https"],
  unknown_field: [{ meant: "purpose" }, "is not a field; did you mean purpose?"],
  no_organization: [
    {},
    "must be named by organization(id), because there is no default organization",
  ],
  not_message_id: [{}, "must be msg_ and 44 digits of 0-9 and a-f"],
  not_request_id: [{}, "must be an id that newRequestId has returned"],
  request_id_taken: [{}, "was used for another request"],
  not_url: [{}, "must be an absolute URL without user name and password"],
  too_many: [{ max: 20 }, "there can be at most 20"],
  after_to: [{}, "must not be after to"],
  too_many_slots: [
    { max: 100 },
    "must be closer to from, because a period can have at most 100 slots",
  ],
  too_many_entries: [
    { max: 100 },
    "must be closer to from, because a period can have at most 100 ledger entries",
  ],
  brand_not_approved: [{}, "brand is not approved"],
  brand_not_found: [{}, "brand not found"],
  brand_wrong_class: [{ class: "promotional" }, "brand cannot send promotional messages"],
  brand_wrong_channel: [{ channel: "whatsapp" }, "brand cannot send over whatsapp"],
  channel_not_allowed: [{}, "is not allowed for codes"],
  prefix_blocked: [{}, "numbers with this prefix are blocked"],
  not_prefix: [
    { entry: "017" },
    '"017" is no prefix of 1 to 15 digits that begins with a country code',
  ],
  country_not_served: [{}, "numbers of this country are not served"],
  empty: [{}, "must not be empty"],
  invalid_cursor: [{}, "must be a cursor of the search"],
  invalid_metadata: [{ maxBytes: 1_024 }, "must be a JSON object of at most 1024 bytes"],
  invalid_purpose: [
    { max: 32 },
    "must have 1 to 32 characters of a-z, 0-9, _, . and -, and begin with a letter or digit",
  ],
  invalid_id: [{ min: 1, max: 64 }, "must have 1 to 64 characters of A-Z, a-z, 0-9, _ and -"],
  invalid_note: [{ max: 500 }, "must be text of at most 500 characters"],
  length_out_of_range: [{ min: 1, max: 1_600 }, "must have between 1 and 1600 characters"],
  limit_not_decimal: [
    { limit: "spendPerDay", wholeDigits: 11, fractionDigits: 4 },
    "spendPerDay must be a decimal number with at most 11 digits before the point and 4 after it",
  ],
  limit_not_object: [{ limit: "codeLength" }, "codeLength must be an object with max and default"],
  limit_not_duration: [
    { limit: "sendsPerNumber.per", write: "60 seconds" },
    'sendsPerNumber.per must be a number with its unit: write "60 seconds"',
  ],
  limit_duration_out_of_range: [
    { limit: "resendCooldown", min: "0 seconds", max: "1 hour" },
    "resendCooldown must be between 0 seconds and 1 hour",
  ],
  not_duration: [{ write: "30 days" }, 'must be a number with its unit: write "30 days"'],
  duration_out_of_range: [
    { min: "1 minute", max: "1 hour" },
    "must be between 1 minute and 1 hour",
  ],
  limit_not_window: [
    { limit: "sendsPerNumber", min: 1, max: 4 },
    "sendsPerNumber must be { max, per }, or a list of 1 to 4 of them",
  ],
  limit_not_string: [{ limit: "spendPerDay" }, "spendPerDay must be a decimal as text"],
  limit_out_of_range: [
    { limit: "codeLength.max", min: 4, max: 15 },
    "codeLength.max must be an integer between 4 and 15",
  ],
  malformed_text: [{}, "must be well-formed Unicode without NUL characters"],
  masking_default: [{}, "a masking brand cannot be the default sender"],
  no_country_code: [{}, "must begin with a plus and the country code, such as +8801712345678"],
  no_default_brand: [{ channel: "sms" }, "no default sender for sms"],
  not_boolean: [{}, "must be true or false"],
  not_date: [{}, "must be a valid Date"],
  too_far_ahead: [{ days: 35 }, "must be at most 35 days ahead"],
  not_after_send_at: [{}, "must be in the future, and after sendAt"],
  not_in_future: [{}, "must be in the future"],
  not_decimal: [
    { wholeDigits: 11, fractionDigits: 4 },
    "must be a decimal number with at most 11 digits before the point and 4 after it",
  ],
  not_e164: [
    { plus: "required" },
    "must be in E.164 format with a leading plus, such as +8801712345678",
  ],
  not_in_numbering_plan: [{}, "is not a valid number in its country's numbering plan"],
  not_integer: [{}, "must be an integer"],
  shuts_out: [{ address: "192.0.2.1" }, "does not admit your address 192.0.2.1"],
  not_ip_block: [{ entry: "host" }, '"host" is no IP address or CIDR block'],
  unknown_zone: [{}, 'must be a zone of the tz database: write "Asia/Dhaka" or "UTC"'],
  not_time_of_day: [{}, 'must be a time of day: write "22:00"'],
  quiet_hours_length: [{ max: 13 }, "must differ from from, and be at most 13 hours after it"],
  not_iso_date: [{}, "must be an ISO 8601 date, or date-time with offset"],
  not_object: [{}, "must be an object"],
  not_phone_number: [{}, "must be a phone number"],
  not_positive: [{}, "must be positive"],
  not_positive_integer: [{}, "must be a whole number from 1 on"],
  not_printable: [{ min: 1, max: 100 }, "must have 1 to 100 printable characters"],
  not_string: [{}, "must be a string"],
  not_string_list: [{}, "must be a list of strings"],
  number_not_accepted: [{ reason: "only test numbers" }, "only test numbers"],
  out_of_range: [{ min: 4, max: 10 }, "must be between 4 and 10"],
  payment_id_reused: [
    { kind: "top-up", amount: "5.00" },
    "was booked with other values: top-up of 5.00",
  ],
  repeated: [{}, "must be given once"],
  required: [{}, "is required"],
  reserved_prefix: [{ prefix: "countersign_" }, "must not begin with countersign_"],
  too_large: [{ max: "10.00" }, "must be at most 10.00"],
  too_long: [{ max: 32 }, "must be at most 32 characters"],
  unknown_channel: [{}, "must be sms or whatsapp"],
  not_recipients: [{}, "must be an array, or another iterable of recipients"],
  no_valid_recipient: [{}, "must have a recipient that is valid"],
  unknown_gateway: [{}, "must be the name of a gateway"],
  not_kept: [{}, "is not kept any more"],
  unknown_option: [{ options: ["en-us", "bn-bd"] }, "must be one of en-us, bn-bd"],
  unreadable: [{}, "cannot be read"],
  zero: [{}, "must not be zero"],
}

const made = <C extends FieldProblem.Code>(code: C): FieldProblem.FieldProblem<C> =>
  FieldProblem.make(code, problems[code][0])

const codes = Object.keys(problems).filter((code): code is FieldProblem.Code => code in problems)

describe("FieldProblem", () => {
  it.each(codes)("has a sentence for %s", (code) => {
    const [params, message] = problems[code]
    assert.deepStrictEqual<unknown>(made(code), { code, params, message })
  })

  it("narrows its parameters by its code", () => {
    const described = (problem: FieldProblem.FieldProblem): string => {
      if (problem.code === "out_of_range") {
        expectTypeOf(problem.params).toEqualTypeOf<FieldProblem.Params["out_of_range"]>()
        return `${problem.params.min} to ${problem.params.max}`
      }
      return problem.code === "too_long" ? `up to ${problem.params.max}` : problem.message
    }
    assert.strictEqual(described(made("out_of_range")), "4 to 10")
    assert.strictEqual(described(made("too_long")), "up to 32")
    assert.strictEqual(described(made("required")), "is required")
    expectTypeOf<FieldProblem.FieldProblem["code"]>().toEqualTypeOf<FieldProblem.Code>()
  })

  it.each([undefined, null, "too_long", {}, { code: 5 }, { code: "toString" }, { code: "none" }])(
    "is not %j",
    (value) => {
      assert.isFalse(FieldProblem.isFieldProblem(value))
    },
  )

  it("is what the details of an invalid request have", () => {
    const details = { to: [made("too_long")] }
    assert.deepStrictEqual(new InvalidRequest({ details }).details, details)
    const nonsense: typeof details = JSON.parse('{"to":[{"code":"none"}]}')
    assert.throws(() => new InvalidRequest({ details: nonsense }))
  })
})
