/** The errors of the client as types, and the readers of their responses. */
import { commonErrors, errorsOf } from "./endpointErrors.ts"
import { all, comment, type ErrorEntry } from "./rows.ts"

const ofMessages = ["send", "list", "get", "balance"]

/** The types of the errors of each endpoint. */
export const names = {
  verify: "SendVerificationError",
  check: "CheckVerificationError",
  resend: "ResendVerificationError",
  cancel: "CancelVerificationError",
  consume: "ConsumeVerificationError",
  status: "VerificationStatusError",
  send: "SendMessageError",
  list: "ListMessagesError",
  get: "GetMessageError",
  balance: "BalanceError",
} as const satisfies Readonly<Record<keyof typeof errorsOf, string>>

const codes: ReadonlySet<string> = new Set([...commonErrors, ...Object.values(errorsOf).flat()])

/** The others have no type of their own, because a client cannot cause them. */
const known = [...codes].flatMap((code) =>
  all.filter((entry) => entry.code === code && entry.source !== "http"),
)

const nameOf = ({ code, name }: ErrorEntry): string =>
  code === "internal" ? "InternalError" : name

/** The same body as another error has, or one that a proxy may send. */
const isNamed = ({ body, isWaitInHeader, params, state }: ErrorEntry): boolean =>
  body === "NotSendable" ||
  body === "Forbidden" ||
  isWaitInHeader === true ||
  ("requestId" in params && state === undefined)

const isDoubtful = ({ code, source }: ErrorEntry): boolean =>
  source === "promise" || code === "unavailable"

const requestId = "  /** The id of the request. */\n  readonly requestId: string\n"
const attempts =
  "  /** Number of wrong codes that are still allowed. */\n  readonly attemptsRemaining: number\n"
const seconds = "  /** Whole seconds, at least 1. */\n  readonly retryAfterSeconds: number\n"
const amounts = `  /** The price, in the account's currency. */
  readonly required: number
  /** The available balance, in the same currency. */
  readonly available: number
`
const details = `  /** Sentences about each invalid field, under this client's names; \`{}\` if the problem is not in a field. */
  readonly details: Readonly<Record<string, ReadonlyArray<string>>>
`

const membersOf = ({ params, state }: ErrorEntry): string =>
  [
    state === undefined ? "" : requestId,
    "attemptsRemaining" in params ? attempts : "",
    "retryAfterSeconds" in params ? seconds : "",
    "required" in params ? amounts : "",
    "details" in params ? details : "",
  ].join("")

const interfaceOf = (entry: ErrorEntry): string => {
  const name = nameOf(entry)
  const { code, meaning, status, statuses } = entry
  if (code === "sending_failed") {
    return `${comment(meaning)}
export interface ${name}<Outcome extends "failed" | "unknown"> extends Failed<"${code}", ${status}> {
  /** \`failed\`: nothing was sent, and the price is refunded. \`unknown\`: the message may still arrive, its price is held until the outcome is known, and the log will show the outcome. */
  readonly outcome: Outcome
}
`
  }
  const all =
    statuses?.messages === undefined
      ? String(status)
      : `${status} | ${statuses.messages} | undefined`
  const doubt = isDoubtful(entry) ? ", Doubt" : ""
  return `${comment(meaning)}
export interface ${name} extends Failed<"${code}", ${all}>${doubt} {
${membersOf(entry)}}
`
}

const entryOf = (code: string): ReadonlyArray<ErrorEntry> =>
  known.filter((entry) => entry.code === code)

const memberOf = (endpoint: string, entry: ErrorEntry): string => {
  if (entry.code !== "sending_failed") return nameOf(entry)
  return `SendingFailed<${ofMessages.includes(endpoint) ? '"failed" | "unknown"' : '"failed"'}>`
}

const unionOf = ([endpoint, list]: readonly [string, ReadonlyArray<string>]): string => {
  const own = list.filter((code) => code !== "invalid_request").flatMap(entryOf)
  const name = Object.entries(names).find(([key]) => key === endpoint)?.[1]
  return `/** Why a call fails. */
export type ${name} = ${[...own.map((entry) => memberOf(endpoint, entry)), "CommonError"].join(" | ")}`
}

const common = commonErrors.flatMap(entryOf)

export const clientErrors = (): string => `
import type { Aborted, Doubt, Failed, Network, Timeout, UnexpectedResponse } from "./clientErrors.ts"

${known.map(interfaceOf).join("\n")}
/** The errors that every call can return. */
export type CommonError = InvalidRequest | ${common.map(nameOf).join(" | ")} | UnexpectedResponse | Timeout | Network | Aborted

${Object.entries(errorsOf).map(unionOf).join("\n\n")}
`

const detailsOf = (entry: ErrorEntry): string => {
  const { params, state } = entry
  if (isNamed(entry)) {
    return entry.isWaitInHeader === true ? "Read.secondsInHeader" : "Read.named"
  }
  if ("attemptsRemaining" in params) return "Read.attempts"
  if (state !== undefined) return `Read.requestIn("${state}")`
  if ("retryAfterSeconds" in params) return "Read.seconds"
  if ("required" in params) return "Read.amounts"
  return entry.status === 422 ? "Read.noDetails" : "Read.none"
}

const variable = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)

const readerOf = (entry: ErrorEntry): ReadonlyArray<string> => {
  const { code, status } = entry
  const name = variable(nameOf(entry))
  const make = (variableName: string, read: string): string =>
    `const ${variableName} = Read.error("${code}", ${status}, ${read})`
  if (code === "invalid_request") return []
  if (code === "sending_failed")
    return [make("messageNotSent", "Read.outcome"), make("codeNotSent", "Read.unsentCode")]
  const read = detailsOf(entry)
  return [make(name, isDoubtful(entry) ? `Read.doubtful(${read})` : read)]
}

const inList = (endpoint: string, { code, ...entry }: ErrorEntry): string => {
  if (code === "invalid_request") return "Read.invalidRequest"
  if (code === "sending_failed")
    return ofMessages.includes(endpoint) ? "messageNotSent" : "codeNotSent"
  return variable(nameOf({ code, ...entry }))
}

export const errorReaders = (): string => `
import * as Read from "./readError.ts"

${known.flatMap(readerOf).join("\n")}

/** The readers of the responses of each endpoint. Those with more members come first. */
export const readersOf = {
${Object.entries(errorsOf)
  .map(
    ([endpoint, list]) =>
      `${endpoint}: [${list
        .flatMap(entryOf)
        .map((entry) => inList(endpoint, entry))
        .join(", ")}],`,
  )
  .join("\n")}
} as const

/** The readers for every endpoint. They come last, because the errors of an endpoint have more members. */
export const commonReaders = [${common.map((entry) => inList("", entry)).join(", ")}] as const
`
