import type * as AlphaSms from "@countersign/gateways/AlphaSms"
import type * as Banglalink from "@countersign/gateways/Banglalink"
import type * as BulkSmsBd from "@countersign/gateways/BulkSmsBd"
import type * as Grameenphone from "@countersign/gateways/Grameenphone"
import type * as HttpGateway from "@countersign/gateways/HttpGateway"
import type * as Kannel from "@countersign/gateways/Kannel"
import type * as MimSms from "@countersign/gateways/MimSms"
import type * as Robi from "@countersign/gateways/Robi"
import type * as Smpp from "@countersign/gateways/Smpp"
import type * as SmsGate from "@countersign/gateways/SmsGate"
import type * as SslWireless from "@countersign/gateways/SslWireless"
import type * as Twilio from "@countersign/gateways/Twilio"
import type * as Vonage from "@countersign/gateways/Vonage"
import type * as WhatsAppCloud from "@countersign/gateways/WhatsAppCloud"
import { readdirSync } from "node:fs"
import { assert, it } from "vitest"
import * as Vendors from "../src/gateways.ts"

/** An option that an adapter has and the function in front of it lacks is an error of the compiler here. */
type Complete<Missing extends never> = Missing
type Missing<Options, Plain> = Exclude<keyof Options, keyof Plain>

export type Checked = [
  Complete<Missing<AlphaSms.Options, Vendors.AlphaSmsOptions>>,
  Complete<Missing<Banglalink.Options, Vendors.BanglalinkOptions>>,
  Complete<Missing<BulkSmsBd.Options, Vendors.BulkSmsBdOptions>>,
  Complete<Missing<Grameenphone.Options, Vendors.GrameenphoneOptions>>,
  Complete<Missing<HttpGateway.Options, Vendors.HttpGatewayOptions>>,
  Complete<Missing<HttpGateway.Description, Vendors.HttpDescription>>,
  Complete<Missing<HttpGateway.Request, Vendors.HttpRequestDescription>>,
  Complete<Missing<HttpGateway.Poll, Vendors.HttpPoll>>,
  // Made of callbackUrl, callbackSecret and the public address.
  Complete<Exclude<Missing<Kannel.Options, Vendors.KannelOptions>, "callback">>,
  Complete<Missing<MimSms.Options, Vendors.MimSmsOptions>>,
  Complete<Missing<Robi.Options, Vendors.RobiOptions>>,
  Complete<Missing<Smpp.Options, Vendors.SmppOptions>>,
  Complete<Missing<SmsGate.Options, Vendors.SmsGateOptions>>,
  Complete<Missing<SslWireless.Options, Vendors.SslWirelessOptions>>,
  // Made of the public address, and so is Vonage's.
  Complete<Exclude<Missing<Twilio.Options, Vendors.TwilioOptions>, "callbackUrl">>,
  Complete<Exclude<Missing<Vonage.Options, Vendors.VonageOptions>, "callbackUrl">>,
  Complete<Missing<WhatsAppCloud.Options, Vendors.WhatsAppCloudOptions>>,
]

it("every adapter has a function that stands for it", () => {
  const sources = new URL("../../gateways/src", import.meta.url)
  const adapters = readdirSync(sources)
    .filter((file) => /^[A-Z]\w*\.ts$/.test(file))
    .map((file) => file.slice(0, -".ts".length).toLowerCase())
    .filter((name) => name !== "adapter" && name !== "callbacks")
  assert.deepStrictEqual(
    Object.keys(Vendors)
      .map((name) => name.toLowerCase())
      .toSorted(),
    adapters.toSorted(),
  )
})
