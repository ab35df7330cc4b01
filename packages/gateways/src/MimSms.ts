/** MimSMS: SMS in Bangladesh, as a description for {@link HttpGateway}. */
import * as Config from "effect/Config"
import type * as Redacted from "effect/Redacted"
import type { HttpDescription } from "./HttpDescription.ts"
import * as HttpGateway from "./HttpGateway.ts"
import { layerConfigOf, layerOf, optionalText } from "./internal/adapter.ts"
import { mimSms as meanings } from "./internal/meanings.ts"
import type { MimSmsOptions } from "./VendorOptions.ts"

const isRefused = { path: "status", matches: "^failed$" } as const
const hasCode = (...codes: ReadonlyArray<number>) =>
  [isRefused, { path: "statusCode", equals: codes }] as const
const says = (words: string) => [isRefused, { path: "responseResult", matches: words }] as const

/**
 * Matches the codes and texts that other integrations report; the vendor publishes no table. Anything else is
 * unknown, including `221` (the vendor's code for a failure at an unnamed step) and `500`.
 */
export const description: HttpDescription = {
  name: "mimsms",
  request: {
    url: "https://api.mimsms.com/api/SmsSending/SMS",
    headers: { accept: "application/json" },
    body: {
      json: {
        UserName: "{user_name}",
        Apikey: "{api_key}",
        MobileNumber: "{to}",
        CampaignId: "{campaign_id}",
        SenderName: "{sender}",
        TransactionType: "{class}",
        Message: "{text}",
      },
    },
  },
  recipient: "digits",
  secrets: ["api_key"],
  classes: { transactional: "T", promotional: "P" },
  values: {
    user_name: "",
    // The vendor requires the string "null", not an empty value.
    campaign_id: "null",
  },
  outcomes: [
    // Both conditions are required. A refusal's code beside the word "success" proves neither.
    {
      when: [
        { path: "status", matches: "^success$" },
        { path: "statusCode", equals: 200 },
      ],
      means: "accepted",
    },
    { when: hasCode(205, 209), means: "content" },
    { when: hasCode(206), means: "recipient" },
    { when: hasCode(208), means: "sender" },
    { when: hasCode(401, 207, 210, 213, 216), means: "account" },
    // Before the other patterns: these texts name the place of the failure and do not say that nothing was
    // sent.
    { when: says("route|gateway|time ?-?out"), means: "unknown" },
    {
      when: says("balance|api ?key|user ?name|password|unauthor|suspend|\\bip\\b"),
      means: "account",
    },
    { when: says("transaction ?type|campaign"), means: "account" },
    { when: says("invalid (mobile|number|msisdn)|wrong number"), means: "recipient" },
    { when: says("sender|masking"), means: "sender" },
    { when: says("invalid message|message content|too long|length|spam"), means: "content" },
  ],
  id: { path: "trxnId" },
  message: { path: "responseResult" },
  code: { path: "statusCode" },
  meanings,
}

export type Options = MimSmsOptions<Redacted.Redacted>

/** Makes the adapter. Dies if `options.description` makes the description invalid. */
export const make = ({ transactionType: type, ...options }: Options) =>
  preset({
    ...options,
    description: {
      ...(type !== undefined && { classes: { transactional: type, promotional: type } }),
      ...options.description,
    },
  })

const preset = HttpGateway.preset(
  description,
  ({ apiKey, campaignId, userName }: Omit<Options, "transactionType">) => ({
    secrets: { api_key: apiKey },
    values: { user_name: userName, campaign_id: campaignId },
  }),
)

/** Provides the gateway to the engine. */
export const layer = layerOf(make)

/** Environment variables that {@link layerConfig} reads. */
export const config: Config.Config<Options> = Config.all({
  userName: Config.NonEmptyString("MIMSMS_USER_NAME"),
  apiKey: Config.Redacted("MIMSMS_API_KEY"),
  transactionType: optionalText("MIMSMS_TRANSACTION_TYPE"),
  campaignId: optionalText("MIMSMS_CAMPAIGN_ID"),
  sender: optionalText("MIMSMS_SENDER"),
})

/** Like {@link layer}, with options from the environment. `options` override the environment. */
export const layerConfig = layerConfigOf(make, config)
