/** The functions that the plugin and the callbacks of the phone-number plugin share. */
import type { GenericEndpointContext } from "better-auth"
import * as api from "better-auth/api"
import {
  ConfigurationError,
  isCountersignError,
  parsePhoneNumber,
  type Verification,
} from "countersign"
import type { CommonOptions, Engine } from "./types.ts"

/** Refuses an engine that was not awaited, options that do not exist, and a country without a numbering plan. */
export const checkArguments = (
  engine: Engine,
  options: CommonOptions,
  known: ReadonlyArray<string>,
): void => {
  if (!("verifications" in engine)) {
    throw new ConfigurationError("The engine is the result of await createCountersign(…)")
  }
  const unknown = Object.keys(options).find((name) => !known.includes(name))
  if (unknown !== undefined) {
    throw new ConfigurationError(`${unknown} is not an option. The options are ${known.join(", ")}`)
  }
  normalize("", options)
}

/** The number in E.164 form. The engine refuses other text. */
export const normalize = (text: string, { country }: CommonOptions): string =>
  parsePhoneNumber(text, { country }) ?? text

/** `getIp` is the name in better-auth 1.6. */
const getAddress: unknown = Reflect.get(api, "getIP") ?? Reflect.get(api, "getIp")

/** The name of the visitor for the limits per client. */
export const clientOf = (
  ctx: GenericEndpointContext,
  { client }: CommonOptions,
): string | undefined => {
  const headers = ctx.request?.headers ?? ctx.headers
  if (headers === undefined) return undefined
  if (client !== undefined) return client(headers)
  const found: unknown =
    typeof getAddress === "function" ? getAddress(headers, ctx.context.options) : undefined
  return typeof found === "string" ? found : undefined
}

/** A request; `undefined` if no request has this id. */
export const find = async (
  { verifications }: Engine,
  requestId: string | undefined,
): Promise<Verification | undefined> => {
  if (requestId === undefined) return undefined
  try {
    return await verifications.get({ requestId })
  } catch (error) {
    if (isCountersignError(error) && error.code === "request_not_found") return undefined
    throw error
  }
}

/** Whether the code of a request can still be entered. */
export const isOpen = (verification: Verification | undefined): boolean =>
  verification?.status === "pending" || verification?.status === "queued"

const ends: ReadonlyArray<string> = [
  "already_verified",
  "attempts_exhausted",
  "request_expired",
  "resends_exhausted",
]

/** Whether an error says that a request cannot go on. A new one may. */
export const endsRequest = (error: unknown): boolean =>
  isCountersignError(error) && ends.includes(error.code)
