/** The options of the adapter, as its connections use them. Times are in milliseconds. */
import type * as Redacted from "effect/Redacted"
import type { SmppOptions } from "../../VendorOptions.ts"
import { millis } from "../durations.ts"

/** The options with their defaults. */
export const settingsOf = (options: SmppOptions<Redacted.Redacted>) => ({
  host: options.host,
  port: options.port ?? 2775,
  tls: options.tls === true ? {} : options.tls === false ? undefined : options.tls,
  systemId: options.systemId,
  password: options.password,
  systemType: options.systemType ?? "",
  bind: options.bind ?? "transceiver",
  window: Math.max(1, options.window ?? 10),
  perSecond: options.perSecond,
  maxQueued: options.maxQueued ?? 1_000,
  queueMillis: millis("queueTimeout", options.queueTimeout) ?? 5_000,
  answerMillis: millis("answerTimeout", options.answerTimeout, 1) ?? 10_000,
  connectMillis: millis("connectTimeout", options.connectTimeout, 1) ?? 5_000,
  enquireMillis: millis("enquireInterval", options.enquireInterval, 1) ?? 30_000,
  retryMillis: millis("retryDelay", options.retryDelay) ?? 500,
  maxRetryMillis: millis("maxRetryDelay", options.maxRetryDelay) ?? 60_000,
  statuses: options.statuses,
})

export type Settings = ReturnType<typeof settingsOf>
