/**
 * A gateway for any vendor with an HTTP API, described by data.
 *
 * The description says how to build a request, what the answers mean, and how to poll for a message's status.
 * Answers that it does not list are unknown.
 */
import type { GatewayMessage } from "@countersign/core/ports/Gateway"
import * as PhoneNumber from "@countersign/core/domain/values/PhoneNumber"
import * as Segments from "@countersign/core/text/Segments"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Adapter } from "./Adapter.ts"
import type { HttpDescription, HttpPoll } from "./HttpDescription.ts"
import { layerOf, optionalText } from "./internal/adapter.ts"
import { millis } from "./internal/durations.ts"
import { type Answer, lookUp } from "./internal/exchange.ts"
import { conditionsOf, fits, read } from "./internal/http-gateway/vendorResponses.ts"
import { Description } from "./internal/http-gateway/description.ts"
import { namesOf, problemsOf } from "./internal/http-gateway/problems.ts"
import { requestOf } from "./internal/http-gateway/requests.ts"
import { make as httpVendor, type Vendor } from "./HttpVendor.ts"
import { parseJson } from "./internal/json.ts"
import * as Outcomes from "./internal/outcomes.ts"
import * as Poller from "./internal/poller.ts"
import { reportedMessage, tokenTail, writeRef } from "./internal/ref.ts"
import type { HttpGatewayOptions, PresetOptions } from "./VendorOptions.ts"

/** The description is invalid, or required options are missing. */
export class InvalidDescription extends Schema.TaggedError<InvalidDescription>()(
  "InvalidDescription",
  {
    /** One sentence per problem. */
    problems: Schema.Array(Schema.String),
  },
) {
  override get message(): string {
    return `The description of the gateway cannot be used. ${this.problems.join("; ")}`
  }
}

// Rejects unknown keys, because they are most likely typos.
const decodeStrictly = Schema.decodeUnknownResult(Description, {
  onExcessProperty: "error",
  errors: "all",
})

/** Decodes a description, for example from parsed JSON. Fails with `InvalidDescription`. */
export const decode = (input: unknown): Result.Result<HttpDescription, InvalidDescription> => {
  const decoded = decodeStrictly(input)
  if (Result.isFailure(decoded)) {
    return Result.fail(new InvalidDescription({ problems: [decoded.failure.toString()] }))
  }
  const problems = problemsOf(decoded.success)
  return problems.length === 0
    ? Result.succeed(decoded.success)
    : Result.fail(new InvalidDescription({ problems: [...problems] }))
}

export type Options = HttpGatewayOptions<Redacted.Redacted>

/** Makes the adapter. It polls for reports while the gateway's `reports` stream is read. */
export const make = Effect.fnUntraced(function* (options: Options) {
  const problems = [...problemsOf(options.description), ...missing(options)]
  if (problems.length > 0) return yield* new InvalidDescription({ problems })
  const { description, secrets = {} } = options
  const { poll } = description
  const client = yield* HttpClient.HttpClient
  const fill = fillerOf(options)
  const adapter = yield* httpVendor(options, {
    meanings: description.meanings,
    name: description.name ?? "http",
    channels: description.channels,
    secrets: Object.values(secrets),
    sendsTraceparent: true,
    requestOf: (message) => {
      const fills = fill(message)
      return fills === undefined
        ? "Carries messages within its country only"
        : (requestOf(description.request, fills) ?? "A header cannot hold what it has to")
    },
    outcomeOf: outcomeOf(description),
    ...namedStatuses(description),
    capabilities: {
      tokenMillis: millis("tokenLifetime", description.tokenLifetime) ?? 0,
      idMillis: millis("idLifetime", description.idLifetime) ?? Infinity,
      segments: description.segments !== undefined,
    },
    timeoutMillis: millis("timeout", description.timeout),
  })
  if (poll === undefined) return adapter
  const poller = yield* Poller.make(poll, ({ gatewayId, message }: PolledMessage) => {
    const fills = fill(message)
    const request =
      fills && requestOf(poll.request, (name) => (name === "id" ? gatewayId : fills(name)))
    return request === undefined
      ? Effect.succeed(undefined)
      : lookUp(client, request, (answer) => saidBy(poll, answer, Object.values(secrets)))
  })
  const needsId = namesOf(poll.request).has("id")
  return Poller.polling(adapter, poller, (message, gatewayId) =>
    // Here the token replaces an id that the vendor did not return.
    needsId && gatewayId === message.token
      ? undefined
      : {
          ref: reportedMessage(message),
          gatewayId,
          // The text is removed, because polling outlives it.
          message: { ...message, text: Redacted.make(""), code: undefined },
        },
  )
})

/** Provides the gateway to the engine. */
export const layer = layerOf(make)

/**
 * Reads the secrets and values of a description from the environment. With the prefix `HTTP_GATEWAY`, the
 * secret `{api_key}` is HTTP_GATEWAY_API_KEY, the value `{user}` is HTTP_GATEWAY_USER, and the sender is
 * HTTP_GATEWAY_SENDER.
 */
export const config = (
  description: HttpDescription,
  prefix = "HTTP_GATEWAY",
): Config.Config<Options> => {
  const variable = (name: string) => `${prefix}_${name.toUpperCase()}`
  const secrets = (description.secrets ?? []).map(
    (name) => [name, Config.Redacted(variable(name))] as const,
  )
  const values = Object.entries(description.values ?? {}).map(([name, value]) => {
    const read = Config.NonEmptyString(variable(name))
    return [name, value === "" ? read : Config.withDefault(read, value)] as const
  })
  return Config.map(
    Config.all({
      secrets: Config.all(Object.fromEntries(secrets)),
      values: Config.all(Object.fromEntries(values)),
      sender: optionalText(variable("sender")),
    }),
    (given) => ({ description, ...given }),
  )
}

/**
 * Like {@link layer}, with the description as JSON in HTTP_GATEWAY_DESCRIPTION, and its secrets and values as
 * {@link config} reads them. `options` override the environment.
 */
export const layerConfig = (options: Partial<Options> = {}) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const description = options.description ?? (yield* describedByEnvironment)
      return layer({ ...(yield* config(description)), ...options })
    }),
  )

const describedByEnvironment = Effect.gen(function* () {
  const json = parseJson(yield* Config.NonEmptyString("HTTP_GATEWAY_DESCRIPTION"))
  return json === undefined
    ? yield* new InvalidDescription({ problems: ["HTTP_GATEWAY_DESCRIPTION is no JSON"] })
    : yield* Effect.fromResult(decode(json))
})

/**
 * Makes the `make` of a vendor from its description and a function that maps its options to the description's
 * secrets and values. The adapter dies if `options.description` makes the description invalid.
 */
export const preset =
  <A extends PresetOptions>(
    description: HttpDescription,
    placeholdersOf: (options: A) => Pick<Options, "secrets" | "values">,
  ) =>
  (options: A): Effect.Effect<Adapter, never, HttpClient.HttpClient> =>
    Effect.orDie(
      make({
        ...options,
        ...placeholdersOf(options),
        description: { ...description, ...options.description },
      }),
    )

/** Problems with secrets and values that the host has not supplied. */
const missing = ({ description, secrets = {}, values = {} }: Options): ReadonlyArray<string> => [
  ...(description.secrets ?? []).flatMap((name) => {
    const secret = secrets[name]
    return secret === undefined || Redacted.value(secret) === ""
      ? [`the secret {${name}} is missing`]
      : []
  }),
  ...Object.entries(description.values ?? {}).flatMap(([name, value]) =>
    (values[name] ?? value) === "" ? [`the value {${name}} is missing`] : [],
  ),
]

/** Returns the placeholder values for a message; `undefined` if the recipient's country is not supported. */
const fillerOf = ({ description, secrets = {}, sender, values = {} }: Options) => {
  const { classes, country, encodings, recipient = "digits", request } = description
  const names = namesOf(request)
  const needsCountry = recipient === "national" || names.has("toNational")
  return (message: GatewayMessage): ((name: string) => string) | undefined => {
    const digits = PhoneNumber.digits(message.phoneNumber)
    const isAtHome = country !== undefined && digits.startsWith(country.code)
    if (needsCountry && !isAtHome) return undefined
    const national = isAtHome ? `${country.trunk}${digits.slice(country.code.length)}` : digits
    const forms = { plus: message.phoneNumber, digits, national }
    const encoding = Segments.encodingOf(Redacted.value(message.text))
    const fills = new Map([
      ["to", forms[recipient]],
      ["toNational", national],
      ["sender", sender ?? message.sender],
      ["text", Redacted.value(message.text)],
      ["encoding", (encoding === "gsm7" ? encodings?.gsm7 : encodings?.unicode) ?? ""],
      ["class", classes?.[message.class] ?? message.class],
      ["token", message.token],
      ["token20", tokenTail(message.token, 20)],
      ["ref", writeRef(message.ref)],
    ])
    return (name) => {
      const secret = secrets[name]
      const own = secret === undefined ? values[name] : Redacted.value(secret)
      return fills.get(name) ?? own ?? description.values?.[name] ?? ""
    }
  }
}

/** HTTP statuses that the description maps to an outcome. Other error statuses prove nothing. */
const namedStatuses = ({ outcomes }: HttpDescription) => {
  const named = (rows: HttpDescription["outcomes"]): ReadonlyArray<number> =>
    rows.flatMap(({ when }) => conditionsOf(when).flatMap(({ status = [] }) => status))
  return {
    documentedFailures: named(outcomes).filter((status) => status >= 500),
    alsoTaken: named(outcomes.filter(({ means }) => means === "accepted" || means === "delivered")),
  }
}

const outcomeOf =
  (description: HttpDescription): Vendor["outcomeOf"] =>
  (answer, message, words) => {
    const row = description.outcomes.find(({ when }) => fits(when, answer))
    const means = row?.means ?? "unknown"
    if (means === "accepted" || means === "delivered") {
      return {
        _tag: means === "accepted" ? "Accepted" : "Delivered",
        gatewayId: read(description.id, answer) ?? message.token,
        ...Outcomes.segmentsIn(read(description.segments, answer)),
      }
    }
    const said = read(description.message, answer)
    const silent =
      row === undefined
        ? Outcomes.unreadable(answer.status).message
        : `Refused (HTTP ${answer.status})`
    const kept = said === undefined ? silent : words(said)
    const wait = millis("retryAfter", row?.retryAfter) ?? Outcomes.retryAfterMillis(answer.headers)
    const code = read(description.code, answer)
    return Outcomes.withCode(
      means === "notSent" ? Outcomes.notSent(kept) : Outcomes.refusal(means, kept, wait),
      code && words(code),
    )
  }

interface PolledMessage extends Poller.PolledMessage {
  readonly message: GatewayMessage
}

const saidBy = (
  poll: HttpPoll,
  answer: Answer,
  secrets: ReadonlyArray<Redacted.Redacted<string>>,
): Poller.VendorStatus | undefined => {
  const row = poll.statuses.find(({ when }) => fits(when, answer))
  if (row === undefined) return undefined
  const said = read(poll.message, answer)
  return {
    status: row.status,
    detail: said === undefined ? null : Outcomes.withoutSecrets(said, secrets),
    isFinal: row.status !== "accepted",
    evidence: Object.fromEntries(
      Object.entries(poll.evidence ?? {})
        .map(([name, source]) => [name, read(source, answer) ?? ""] as const)
        .filter(([, value]) => !secrets.some((secret) => value.includes(Redacted.value(secret)))),
    ),
  }
}
