/** Requests that the service refuses, with the details of the answer. */
import { digits, number } from "./Subject.ts"

const plusRequired = "must be in E.164 format with a leading plus, such as +8801712345678"
const plusOptional = "must be in E.164 format, such as 8801712345678"
const badMetadata = "must be a JSON object of at most 1024 bytes"
const badClient = "must have between 1 and 128 characters"
const badDate = "must be an ISO 8601 date, or date-time with offset"

/** The problem of a body, as it is and as the endpoint says it. */
export const invalid: ReadonlyArray<
  readonly [path: string, body: object, details: Record<string, ReadonlyArray<string>>]
> = [
  ["/messages", {}, { to: ["is required"], message: ["is required"] }],
  [
    "/messages",
    { to: 8801712345678, message: ["hello"], channel: 1, brand_id: {} },
    {
      to: ["must be a string"],
      message: ["must be a string"],
      channel: ["must be sms or whatsapp"],
      brand_id: ["must be a string"],
    },
  ],
  [
    "/messages",
    { to: "0171", message: "", channel: "SMS" },
    {
      to: [plusOptional],
      message: ["must have between 1 and 1600 characters"],
      channel: ["must be sms or whatsapp"],
    },
  ],
  // A rule of one field is reported beside a type of another.
  ["/messages", { to: "0171", message: 5 }, { to: [plusOptional], message: ["must be a string"] }],
  [
    "/messages",
    { to: digits, message: "x".repeat(1_601) },
    { message: ["must have between 1 and 1600 characters"] },
  ],
  [
    "/messages",
    { to: digits, message: "a\u0000b" },
    { message: ["must be well-formed Unicode without NUL characters"] },
  ],
  ["/messages", { __proto__: { to: digits } }, { to: ["is required"], message: ["is required"] }],
  [
    "/verify",
    { phone_number: digits, code_length: 3, expiry: 59, locale: "en", brand_id: "unknown" },
    {
      phone_number: [plusRequired],
      code_length: ["must be between 4 and 10"],
      expiry: ["must be between 60 and 3600"],
      locale: ["must be one of en-us, bn-bd"],
      brand_id: ["brand not found"],
    },
  ],
  [
    "/verify",
    { phone_number: number, code_length: "6", expiry: 300.5, locale: 5, brand_id: 7 },
    {
      code_length: ["must be an integer"],
      expiry: ["must be an integer"],
      locale: ["must be a string"],
      brand_id: ["must be a string"],
    },
  ],
  // Nothing is said of a sender that cannot be looked for.
  [
    "/verify",
    { phone_number: number, channel: "fax", brand_id: "profile" },
    { channel: ["must be sms or whatsapp"] },
  ],
  [
    "/verify",
    { phone_number: number, brand_id: "profile" },
    { brand_id: ["brand cannot send over sms"] },
  ],
  ["/verify/check", {}, { request_id: ["is required"], code: ["is required"] }],
  [
    "/verify/check",
    { request_id: 1, code: 123456 },
    { request_id: ["must be a string"], code: ["must be a string"] },
  ],
  [
    "/verify/check",
    { request_id: "", code: "" },
    {
      request_id: ["must not be empty"],
      code: ["must have between 1 and 32 characters"],
    },
  ],
  [
    "/verify/check",
    { request_id: "x", code: "1".repeat(33) },
    { code: ["must have between 1 and 32 characters"] },
  ],
  [
    "/verify",
    { phone_number: number, purpose: "Log in", metadata: [1], payment: "500" },
    {
      purpose: [
        "must have 1 to 32 characters of a-z, 0-9, _, . and -, and begin with a letter or digit",
      ],
      metadata: [badMetadata],
      payment: ["must be an object"],
    },
  ],
  ["/verify", { phone_number: number, client: "" }, { client: [badClient] }],
  [
    "/verify/check",
    { request_id: "x", code: "1", client: "x".repeat(129) },
    { client: [badClient] },
  ],
  // 1,025 bytes as JSON, in fewer characters.
  [
    "/verify",
    { phone_number: number, metadata: { a: `x${"é".repeat(508)}` } },
    { metadata: [badMetadata] },
  ],
  ["/verify/check", { code: "1", phone_number: digits }, { phone_number: [plusRequired] }],
  [
    "/verify/vrf_1/resend",
    { channel: "fax", request_id: 5 },
    { channel: ["must be sms or whatsapp"] },
  ],
  [
    "/verify/vrf_1/consume",
    { purpose: "", audience: "\n" },
    {
      purpose: [
        "must have 1 to 32 characters of a-z, 0-9, _, . and -, and begin with a letter or digit",
      ],
      audience: ["must have 1 to 200 printable characters"],
    },
  ],
  ["/messages?limit=0", {}, { limit: ["must be between 1 and 200"] }],
  ["/messages?limit=", {}, { limit: ["must be an integer"] }],
  ["/messages?page=0", {}, { page: ["must be between 1 and 1000000000"] }],
  [
    "/messages?limit=1&limit=1&page=0",
    {},
    { limit: ["must be given once"], page: ["must be between 1 and 1000000000"] },
  ],
  ["/messages?from=2026-02-30", {}, { from: [badDate] }],
  ["/messages?from=&to=", {}, { from: [badDate], to: [badDate] }],
  ["/messages?from=2026-01-02&to=2026-01-01", {}, { from: ["must not be after to"] }],
  [
    "/messages?from=2026-01-01T00:00:01Z&to=2026-01-01T06:00:00%2B06:00",
    {},
    { from: ["must not be after to"] },
  ],
  ["/messages?from=bad&limit=0", {}, { from: [badDate], limit: ["must be between 1 and 200"] }],
]
