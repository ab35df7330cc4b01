/**
 * Any vendor with an HTTP interface, described by data: how a request is made, what the answers mean, and
 * how to ask what became of a message. What the description does not name is unknown.
 */
import type { Gateway, GatewayMessage } from "@countersign/core/ports/Gateway"
import type { GatewayOutcome } from "@countersign/core/domain/GatewayOutcome"
import * as PhoneNumber from "@countersign/core/domain/PhoneNumber"
import * as Segments from "@countersign/core/text/Segments"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Adapter } from "./Adapter.ts"
import { defaultTimeoutMillis, layerOf, plainCapabilities, pushing } from "./internal/adapter.ts"
import { type Answer, exchange } from "./internal/exchange.ts"
import { conditionsOf, fits, read } from "./internal/http-gateway/answers.ts"
import { Description, type Poll } from "./internal/http-gateway/description.ts"
import { namesOf, problemsOf } from "./internal/http-gateway/problems.ts"
import { requestOf } from "./internal/http-gateway/requests.ts"
import * as Outcomes from "./internal/outcomes.ts"
import * as Poller from "./internal/poller.ts"
import { writeRef } from "./internal/ref.ts"
import { refusalOf, sendTo, type Words } from "./internal/smsVendor.ts"
import { tokenTail } from "./internal/tokenTail.ts"
import { rawWords, type Sensitive, vendorWords } from "./internal/vendorWords.ts"

export {
  Condition,
  Description,
  Meaning,
  Poll,
  Request,
  Source,
  When,
} from "./internal/http-gateway/description.ts"

export interface Options {
  readonly description: Description
  /** What stands for the description's `secrets`. */
  readonly secrets?: Readonly<Record<string, Redacted.Redacted>> | undefined
  /** What stands for the description's `values`; those that are empty there have to be given. */
  readonly values?: Readonly<Record<string, string>> | undefined
  /** The sender of every message; the message's own sender when left out. */
  readonly sender?: string | undefined
  /** The description's name when left out. */
  readonly name?: string | undefined
  /** The description's when left out. */
  readonly timeoutMillis?: number | undefined
}

/** A description that makes no sense, or lacks what has to be given. */
export class InvalidDescription extends Schema.TaggedError<InvalidDescription>()(
  "InvalidDescription",
  {
    /** A sentence for each problem. */
    problems: Schema.Array(Schema.String),
  },
) {
  override get message(): string {
    return `The description of the gateway cannot be used. ${this.problems.join("; ")}`
  }
}

// A key that nobody knows is most likely one that was written wrong.
const decodeStrictly = Schema.decodeUnknownResult(Description, {
  onExcessProperty: "error",
  errors: "all",
})

/** Reads a description, such as parsed JSON, and refuses one that makes no sense. */
export const decode = (input: unknown): Result.Result<Description, InvalidDescription> => {
  const decoded = decodeStrictly(input)
  if (Result.isFailure(decoded)) {
    return Result.fail(new InvalidDescription({ problems: [decoded.failure.toString()] }))
  }
  const problems = problemsOf(decoded.success)
  return problems.length === 0
    ? Result.succeed(decoded.success)
    : Result.fail(new InvalidDescription({ problems: [...problems] }))
}

/** Makes the adapter. Reports are asked for as long as somebody reads them. */
export const make: (
  options: Options,
) => Effect.Effect<Adapter, InvalidDescription, HttpClient.HttpClient> = Effect.fnUntraced(
  function* (options: Options) {
    const problems = [...problemsOf(options.description), ...missing(options)]
    if (problems.length > 0) return yield* new InvalidDescription({ problems })
    const { description, secrets = {} } = options
    const { poll } = description
    const client = yield* HttpClient.HttpClient
    const fill = fillerOf(options)
    const send = sendTo({
      client,
      channels: description.channels,
      secrets: Object.values(secrets),
      requestOf: (message) => {
        const fills = fill(message)
        return fills === undefined
          ? Outcomes.leftToOthers("Carries messages within its country only")
          : (requestOf(description.request, fills) ??
              Outcomes.leftToOthers("A header cannot hold what it has to"))
      },
      outcomeOf: (answer, message, words) => outcomeOf(description, answer, message, words),
      ...namedStatuses(description),
    })
    const gateway = {
      name: options.name ?? description.name ?? "http",
      capabilities: {
        ...plainCapabilities,
        tokenMillis: (description.dedupeSeconds ?? 0) * 1_000,
        idMillis: (description.idSeconds ?? Infinity) * 1_000,
        reports: "none",
        segments: description.segments !== undefined,
        timeoutMillis: options.timeoutMillis ?? description.timeoutMillis ?? defaultTimeoutMillis,
      },
      send,
    } as const
    if (poll === undefined) return pushing(gateway, undefined)
    const poller = yield* Poller.make(planOf(poll), ({ gatewayId, message }: Asked) => {
      const fills = fill(message)
      const request =
        fills && requestOf(poll.request, (name) => (name === "id" ? gatewayId : fills(name)))
      return request === undefined
        ? Effect.succeed(undefined)
        : Effect.map(exchange(client, request), (answer) =>
            answer._tag === "Answer"
              ? saidBy(poll, answer, message, Object.values(secrets))
              : undefined,
          )
    })
    const needsId = namesOf(poll.request).has("id")
    return Poller.polling(gateway, poller, (message, gatewayId) =>
      // The token stands for a name that the vendor has not given.
      needsId && gatewayId === message.token
        ? undefined
        : {
            ref: message.ref,
            gatewayId,
            // The text is not kept for as long as that.
            message: { ...message, text: Redacted.make(""), code: undefined },
          },
    )
  },
)

/** The engine's gateway. */
export const layer = (
  options: Options,
): Layer.Layer<Gateway, InvalidDescription, HttpClient.HttpClient> => layerOf(make(options))

/**
 * Reads what a description leaves to the host: for the prefix `HTTP_GATEWAY`, the secret `{api_key}` is
 * HTTP_GATEWAY_API_KEY, the value `{user}` is HTTP_GATEWAY_USER, and the sender HTTP_GATEWAY_SENDER.
 */
export const config = (
  description: Description,
  prefix = "HTTP_GATEWAY",
): Config.Config<Options> => {
  const variable = (name: string) => `${prefix}_${name.toUpperCase()}`
  const secrets: Record<string, Config.Config<Redacted.Redacted>> = {}
  for (const name of description.secrets ?? []) secrets[name] = Config.Redacted(variable(name))
  const values: Record<string, Config.Config<string>> = {}
  for (const [name, value] of Object.entries(description.values ?? {})) {
    const read = Config.NonEmptyString(variable(name))
    values[name] = value === "" ? read : Config.withDefault(read, value)
  }
  return Config.map(
    Config.all({
      secrets: Config.all(secrets),
      values: Config.all(values),
      sender: Config.option(Config.NonEmptyString(variable("sender"))),
    }),
    (given) => ({
      description,
      secrets: given.secrets,
      values: given.values,
      sender: Option.getOrUndefined(given.sender),
    }),
  )
}

/**
 * Like {@link layer}, with the description as JSON in HTTP_GATEWAY_DESCRIPTION, and what it leaves open as
 * {@link config} reads it. What is given here wins.
 */
export const layerConfig = (
  options: Partial<Options> = {},
): Layer.Layer<Gateway, Config.ConfigError | InvalidDescription, HttpClient.HttpClient> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const description = options.description ?? (yield* describedByEnvironment)
      return layer({ ...(yield* config(description)), ...options })
    }),
  )

const parsed = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Unknown))

const describedByEnvironment = Effect.gen(function* () {
  const json = parsed(yield* Config.NonEmptyString("HTTP_GATEWAY_DESCRIPTION"))
  return Result.isFailure(json)
    ? yield* new InvalidDescription({ problems: ["HTTP_GATEWAY_DESCRIPTION is no JSON"] })
    : yield* Effect.fromResult(decode(json.success))
})

/** What the host has not given. */
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

/** What the placeholders of one message stand for; `undefined` for a number of another country. */
const fillerOf = ({ description, secrets = {}, sender, values = {} }: Options) => {
  const { country, encodings, recipient = "digits", request } = description
  const names = namesOf(request)
  const needsCountry = recipient === "national" || names.has("toNational")
  const own = new Map(Object.entries({ ...description.values, ...values }))
  return (message: GatewayMessage): ((name: string) => string) | undefined => {
    const digits = PhoneNumber.digits(message.to)
    const isAtHome = country !== undefined && digits.startsWith(country.code)
    if (needsCountry && !isAtHome) return undefined
    const national = isAtHome ? `${country.trunk}${digits.slice(country.code.length)}` : digits
    const forms = { plus: message.to, digits, national }
    return (name) => {
      switch (name) {
        case "to":
          return forms[recipient]
        case "toNational":
          return national
        case "sender":
          return sender ?? message.sender
        case "text":
          return Redacted.value(message.text)
        case "encoding":
          return Segments.encodingOf(Redacted.value(message.text)) === "gsm7"
            ? (encodings?.gsm7 ?? "")
            : (encodings?.unicode ?? "")
        case "token":
          return message.token
        case "token20":
          return tokenTail(message.token, 20)
        case "ref":
          return writeRef(message.ref)
        default: {
          const secret = secrets[name]
          return secret === undefined ? (own.get(name) ?? "") : Redacted.value(secret)
        }
      }
    }
  }
}

/** The statuses that a description names itself, where others prove nothing. */
const namedStatuses = ({ outcomes }: Description) => {
  const named = (rows: Description["outcomes"]): ReadonlyArray<number> =>
    rows.flatMap(({ when }) =>
      conditionsOf(when).flatMap(({ status }) =>
        status === undefined ? [] : typeof status === "number" ? [status] : status,
      ),
    )
  return {
    documentedFailures: named(outcomes).filter((status) => status >= 500),
    alsoTaken: named(outcomes.filter(({ means }) => means === "accepted" || means === "delivered")),
  }
}

const outcomeOf = (
  description: Description,
  answer: Answer,
  message: GatewayMessage,
  words: Words,
): GatewayOutcome => {
  const row = description.outcomes.find(({ when }) => fits(when, answer))
  const said = read(description.message, answer)
  if (row === undefined) {
    return said === undefined ? Outcomes.unreadable(answer.status) : Outcomes.unknown(words(said))
  }
  const kept = said === undefined ? `Refused (HTTP ${answer.status})` : words(said)
  switch (row.means) {
    case "accepted":
    case "delivered": {
      const segments = Number(read(description.segments, answer))
      return {
        _tag: row.means === "accepted" ? "Accepted" : "Delivered",
        gatewayId: read(description.id, answer) ?? message.token,
        ...(Number.isSafeInteger(segments) && segments > 0 ? { segments } : undefined),
      }
    }
    case "throttled":
      return Outcomes.throttled(
        kept,
        row.retryAfterSeconds === undefined
          ? Outcomes.retryAfterMillis(answer.headers)
          : row.retryAfterSeconds * 1_000,
      )
    case "notSent":
      return Outcomes.notSent(kept)
    default:
      return refusalOf(row.means, kept)
  }
}

interface Asked extends Poller.Watched {
  readonly message: GatewayMessage
}

const planOf = ({ endSeconds, firstSeconds, longestSeconds }: Poll): Poller.PollPlan => ({
  firstMillis:
    firstSeconds === undefined ? Poller.defaultPollPlan.firstMillis : firstSeconds * 1_000,
  longestMillis:
    longestSeconds === undefined ? Poller.defaultPollPlan.longestMillis : longestSeconds * 1_000,
  endMillis: endSeconds === undefined ? Poller.defaultPollPlan.endMillis : endSeconds * 1_000,
})

const saidBy = (
  poll: Poll,
  answer: Answer,
  message: Sensitive,
  secrets: ReadonlyArray<Redacted.Redacted<string>>,
): Poller.Said | undefined => {
  const row = poll.statuses.find(({ when }) => fits(when, answer))
  if (row === undefined) return undefined
  const said = read(poll.message, answer)
  return {
    status: row.status,
    detail: said === undefined ? null : vendorWords(said, message, secrets),
    isFinal: row.status !== "accepted",
    raw: rawWords(answer.text, secrets),
  }
}
