/** The examples of the OpenAPI document of the admin API. */
import type { EndpointName } from "./access.ts"
import { rows } from "./rows.ts"

const phoneNumber = "+8801712345678"

const bodies = {
  "messages.send": { phoneNumber, text: "Your parcel has arrived." },
  "verifications.send": { phoneNumber, channel: "sms", codeLength: 6 },
  "verifications.check": { code: "123456" },
  "verifications.resend": { channel: "sms" },
  "verifications.resetGuesses": { phoneNumber, reason: "the owner called" },
  "privacy.erase": { phoneNumber, reason: "the owner asked for it" },
} as const satisfies { readonly [Name in EndpointName]?: object }

/** The body of each endpoint that takes one. */
export const requestExamples: ReadonlyMap<string, object> = new Map<string, object>([
  ...Object.entries(bodies),
  ...[...rows].flatMap(([id, { admin }]) =>
    admin?.example === undefined ? [] : [[id, admin.example] as const],
  ),
])

/** Examples of members, by their names. */
export const textExamples: ReadonlyMap<string, string> = new Map([
  ["actor", "olga"],
  ["country", "BD"],
  ["currency", "BDT"],
  ["gateway", "twilio"],
  ["name", "Acme Ltd."],
  ["organization", "acme"],
  ["phoneNumber", phoneNumber],
  ["prefix", "88017"],
  ["reason", "the owner called"],
  ["requestId", "vrf_01a20572dcfc45cc03397cb29e2deefb9c363178086b"],
  ["sender", "8809600000001"],
  ["text", "Your parcel has arrived."],
  ["url", "https://hooks.example/countersign"],
])
