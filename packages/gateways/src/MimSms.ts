/**
 * MimSMS: SMS in Bangladesh, as a description for {@link HttpGateway}.
 */
import type { Gateway } from "@countersign/core/ports/Gateway"
import type * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import type { Adapter } from "./Adapter.ts"
import * as HttpGateway from "./HttpGateway.ts"

const isRefused = { path: "status", matches: "^failed$" } as const
const hasCode = (...codes: ReadonlyArray<number>) =>
  [isRefused, { path: "statusCode", equals: codes }] as const
const says = (words: string) => [isRefused, { path: "responseResult", matches: words }] as const

/**
 * Matches the codes and texts that other integrations report; the vendor publishes no table. Anything else is
 * unknown, including `221` (the vendor's code for a failure at an unnamed step) and `500`.
 */
export const description: HttpGateway.Description = {
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
        TransactionType: "{transaction_type}",
        Message: "{text}",
      },
    },
  },
  recipient: "digits",
  secrets: ["api_key"],
  values: {
    user_name: "",
    // T: transactional, P: promotional, D: bulk.
    transaction_type: "T",
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
}

export interface Options {
  /** The e-mail address of the account. */
  readonly userName: string
  readonly apiKey: Redacted.Redacted
  /** Kind of message: `T`, `P` or `D`. @defaultValue `T` */
  readonly transactionType?: string | undefined
  /** Required for promotional messages. */
  readonly campaignId?: string | undefined
  /** The sender of every message. @defaultValue the message's own sender */
  readonly sender?: string | undefined
  /** Fields that replace those of {@link description} for this account. */
  readonly description?: Partial<HttpGateway.Description> | undefined
  /** Name of the gateway. @defaultValue `mimsms` */
  readonly name?: string | undefined
  /** Longest time that a dispatch may take, in milliseconds. @defaultValue 15,000 */
  readonly timeoutMillis?: number | undefined
}

const optionsOf = (options: Options): HttpGateway.Options => ({
  description: { ...description, ...options.description },
  secrets: { api_key: options.apiKey },
  values: {
    user_name: options.userName,
    ...(options.transactionType === undefined
      ? undefined
      : { transaction_type: options.transactionType }),
    ...(options.campaignId === undefined ? undefined : { campaign_id: options.campaignId }),
  },
  sender: options.sender,
  name: options.name,
  timeoutMillis: options.timeoutMillis,
})

/** Makes the adapter. Dies if `options.description` makes the description invalid. */
export const make = (options: Options): Effect.Effect<Adapter, never, HttpClient.HttpClient> =>
  Effect.orDie(HttpGateway.make(optionsOf(options)))

/** Provides the gateway to the engine. */
export const layer = (options: Options): Layer.Layer<Gateway, never, HttpClient.HttpClient> =>
  Layer.orDie(HttpGateway.layer(optionsOf(options)))

/**
 * Environment variables that {@link layerConfig} reads: MIMSMS_USER_NAME, MIMSMS_API_KEY, MIMSMS_SENDER and,
 * optionally, MIMSMS_TRANSACTION_TYPE and MIMSMS_CAMPAIGN_ID.
 */
export const config: Config.Config<HttpGateway.Options> = HttpGateway.config(description, "MIMSMS")

/** Like {@link layer}, with options from the environment. `options` override the environment. */
export const layerConfig = (
  options: Partial<HttpGateway.Options> = {},
): Layer.Layer<Gateway, Config.ConfigError, HttpClient.HttpClient> =>
  Layer.unwrap(
    Effect.map(config, (read) => Layer.orDie(HttpGateway.layer({ ...read, ...options }))),
  )
