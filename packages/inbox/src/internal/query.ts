/** Reads the queries of the inbox. A failure is a sentence for the caller. */
import * as Duration from "@countersign/core/domain/values/Duration"
import * as Result from "effect/Result"
import { maxSeconds, parseDelivery } from "./delivery.ts"
import { maxMessages } from "./inbox.ts"
import { phoneNumberOf } from "./phoneNumber.ts"
import type * as Types from "./types.ts"

/** Longest wait of one request for a code, in seconds. Longer ones end after this time. */
const maxWaitSeconds = 60

type Read<A> = Result.Result<A, string>

const valueOf = (query: URLSearchParams, name: string): string | undefined => {
  const text = query.get(name)?.trim()
  return text === "" ? undefined : text
}

interface NumberOptions {
  readonly min: number
  readonly max: number
  readonly fallback: number
  readonly shape?: RegExp
  readonly what?: string
}

const numberOf = (query: URLSearchParams, name: string, options: NumberOptions): Read<number> => {
  const { fallback, max, min, shape = /^\d{1,9}$/, what = "a whole number" } = options
  const text = valueOf(query, name)
  if (text === undefined) return Result.succeed(fallback)
  return shape.test(text) && Number(text) >= min && Number(text) <= max
    ? Result.succeed(Number(text))
    : Result.fail(`${name} must be ${what} from ${min} to ${max}`)
}

const statuses = ["delivered", "undelivered", "failed", "never"] as const

const statusOf = (query: URLSearchParams): Read<(typeof statuses)[number]> => {
  const status = statuses.find((one) => one === valueOf(query, "status"))
  return status === undefined
    ? Result.fail("status must be delivered, undelivered, failed or never")
    : Result.succeed(status)
}

export const listOf = (query: URLSearchParams): Read<Types.ListMessages> =>
  Result.map(
    numberOf(query, "limit", { min: 1, max: maxMessages, fallback: maxMessages }),
    (limit) => ({ phoneNumber: valueOf(query, "to"), limit }),
  )

export const waitOf = (query: URLSearchParams): Read<Types.WaitForCode> => {
  const seconds = numberOf(query, "wait", {
    min: 0,
    max: 999_999_999,
    fallback: 0,
    shape: /^\d{1,9}(\.\d{1,3})?$/,
    what: "a number of seconds",
  })
  return Result.map(
    Result.all([phoneNumberOf("to", valueOf(query, "to") ?? ""), seconds]),
    ([phoneNumber, wait]) => ({
      phoneNumber,
      after: valueOf(query, "after"),
      timeout: Duration.format(Math.round(Math.min(wait, maxWaitSeconds) * 1_000)),
    }),
  )
}

export const reportOf = (query: URLSearchParams): Read<Omit<Types.ReportMessage, "id">> =>
  Result.map(
    Result.all([
      statusOf(query),
      numberOf(query, "after", { min: 0, max: maxSeconds, fallback: 0 }),
    ]),
    ([status, after]) => ({ status, delay: Duration.format(after * 1_000) }),
  )

export const deliveryOf = (query: URLSearchParams): Read<Types.Delivery> =>
  Result.mapError(parseDelivery(valueOf(query, "when") ?? ""), (reason) => `when ${reason}`)
