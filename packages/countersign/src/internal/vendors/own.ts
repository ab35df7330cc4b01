/**
 * Gateways to the host's own systems: a Kannel, a connection to a message centre, a phone, and any HTTP
 * interface.
 */
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type {
  HttpGatewayOptions,
  KannelOptions,
  SmppOptions,
  SmsGateOptions,
  VendorGateway,
} from "../vendorTypes.ts"
import { load } from "./load.ts"
import { type Settings, vendor } from "./vendorFactory.ts"

/** Creates a gateway to Kannel's `sendsms`. Receives reports if `callbackSecret` and `callbacks` are set. */
export const kannel = (options: KannelOptions): VendorGateway =>
  vendor("kannel", options, (settings) => {
    const made = {
      ...options,
      url: settings.url("url", options.url),
      username: settings.text("username", options.username),
      password: settings.secret("password", options.password),
    }
    const secret = settings.optionalSecret("callbackSecret", options.callbackSecret)
    const own = settings.optionalUrl("callbackUrl", options.callbackUrl)
    if (own !== undefined && secret === undefined) {
      settings.problem("callbackUrl", "goes with callbackSecret")
    }
    return {
      needsCallbacks: secret !== undefined,
      make: (callbackUrl) => {
        const url = own ?? callbackUrl
        const callback = secret === undefined || url === undefined ? undefined : { secret, url }
        return load(
          () => import("@countersign/gateways/Kannel"),
          ({ make }) => make({ ...made, callback }),
        )
      },
    }
  })

/** Creates an SMPP 3.4 gateway. Receipts arrive on the same connection, which stays open while the engine runs. */
export const smpp = (options: SmppOptions): VendorGateway =>
  vendor("smpp", options, (settings) => {
    const { idMillis } = options
    if (idMillis !== Infinity) settings.atLeast("idMillis", idMillis, 0)
    const made = {
      ...options,
      host: settings.text("host", options.host),
      systemId: settings.text("systemId", options.systemId),
      password: settings.secret("password", options.password),
    }
    return {
      // The adapter limits the rate itself, because only it can count every part of a text.
      perSecond: undefined,
      make: () =>
        load(
          () => import("@countersign/gateways/Smpp"),
          ({ make }) => make(made),
        ),
    }
  })

const smsGateCredentials = (settings: Settings, given: SmsGateOptions["credentials"]) =>
  "token" in given
    ? { token: settings.secret("credentials.token", given.token) }
    : {
        username: settings.text("credentials.username", given.username),
        password: settings.secret("credentials.password", given.password),
      }

/**
 * Creates a gateway to SMSGate, an Android phone. It receives reports if `signingKey` and `callbacks` are set,
 * and polls for them otherwise.
 */
export const smsGate = (options: SmsGateOptions): VendorGateway =>
  vendor("smsgate", options, (settings) => {
    settings.atLeast("tokenMillis", options.tokenMillis, 0)
    const made = {
      ...options,
      poll: settings.poll(options.poll),
      credentials: smsGateCredentials(settings, options.credentials),
      signingKey: settings.optionalSecret("signingKey", options.signingKey),
      baseUrl: settings.optionalUrl("baseUrl", options.baseUrl),
    }
    return {
      needsCallbacks: made.signingKey !== undefined,
      make: () =>
        load(
          () => import("@countersign/gateways/SmsGate"),
          ({ make }) => make(made),
        ),
    }
  })

/** Creates a gateway to any HTTP interface that data describes. It polls if the description has `poll`. */
export const httpGateway = (options: HttpGatewayOptions): VendorGateway =>
  vendor("http", { ...options, name: options.name ?? options.description.name }, (settings) => {
    const secrets: Record<string, Redacted.Redacted> = {}
    for (const [name, secret] of Object.entries(options.secrets ?? {})) {
      secrets[name] = settings.secret(`secrets.${name}`, secret)
    }
    return {
      channels: options.description.channels ?? ["sms"],
      make: () =>
        load(
          () => import("@countersign/gateways/HttpGateway"),
          // A description that was read from JSON can have any shape.
          ({ decode, make }) =>
            Result.match(decode(options.description), {
              onFailure: Effect.fail,
              onSuccess: (description) => make({ ...options, description, secrets }),
            }),
        ),
    }
  })
