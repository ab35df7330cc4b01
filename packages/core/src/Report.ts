/**
 * What came in on a message, kept as it was received: who disputes a price can see what was said, by whom
 * and when. Numbers, codes and credentials are hidden in it.
 *
 * @module-kind pure
 */
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { DeliveryReport, Reported } from "./Gateway.ts"
import {
  errorText,
  type GatewayOutcome,
  gatewayIdText,
  readOutcome,
  rejectionReasons,
  type ReportStatus,
  reportStatuses,
} from "./GatewayOutcome.ts"
import { isOrganizationId, type OrganizationId } from "./Ids.ts"
import * as Checks from "./internal/checks.ts"
import * as Masking from "./Masking.ts"
import type { Message } from "./Message.ts"

export interface Report {
  readonly organization: OrganizationId
  /** The message's number in the organization's log. */
  readonly message: number
  /** Among the reports on the message; 1 was taken in first. */
  readonly position: number
  /** Epoch milliseconds, by the store's clock; when it came, which may be before its message was known. */
  readonly receivedAt: number
  /** Who has reported. */
  readonly gateway: string
  /** The gateway's own name for the message, as far as it was known then. */
  readonly gatewayId: string | null
  readonly status: ReportStatus
  /** The vendor's words, at most 300 characters. */
  readonly detail: string | null
  /** All that came, masked, at most 2,000 characters; `null` where the adapter does not tell. */
  readonly raw: string | null
}

/** How a report came in. */
export interface Arrival {
  /** Who has reported; whoever took the message when `undefined`. */
  readonly gateway: string | undefined
  /** What the message is called there; what the message knows of it when `null`. */
  readonly gatewayId: string | null
  /** Masked already. */
  readonly raw: string | null
  /** Epoch milliseconds, where it came before its message was known. */
  readonly receivedAt: number | undefined
}

/** Most reports on one message that are kept; the first of them. */
export const maxKept = 20

/** How far the reports on one message are counted. */
export const maxCounted = 1_000

/** What is kept of what came, as text; `undefined` where nothing is known of it. */
export const rawText = (raw: Redacted.Redacted<string> | undefined): string | null => {
  const text = raw === undefined ? "" : Redacted.value(raw)
  return text === "" ? null : Masking.report(text)
}

/** The message with one report more. Beyond `maxCounted`, a vendor that repeats itself changes nothing. */
export const count = (message: Message): Message =>
  message.reports < maxCounted ? { ...message, reports: message.reports + 1 } : message

/** The report to keep on a message as it was before; `undefined` when there are enough. */
export const keep = (
  message: Message,
  said: { readonly status: ReportStatus; readonly detail: string | null },
  arrival: Arrival,
  now: number,
): Report | undefined => {
  if (message.reports >= maxKept) return undefined
  const { gateway = message.gateway, gatewayId, raw, receivedAt = now } = arrival
  return {
    organization: message.organization,
    message: message.number,
    position: message.reports + 1,
    receivedAt,
    gateway,
    gatewayId: gatewayId === null ? message.gatewayId : gatewayIdText(gatewayId),
    status: said.status,
    detail: said.detail === null ? null : errorText(Masking.words(said.detail)),
    raw,
  }
}

type Said = Omit<DeliveryReport, "of">

const said = Object.entries<Checks.Check>({
  status: Checks.oneOf(reportStatuses),
  detail: {
    must: "must be a text or null",
    holds: (value) => value === null || value === undefined || typeof value === "string",
  },
  reason: Checks.optional(Checks.oneOf(rejectionReasons)),
  unreachable: Checks.optional(Checks.boolean),
  gateway: Checks.optional(Checks.name),
  raw: Checks.optional({
    must: "must be a redacted text",
    holds: (value) => Redacted.isRedacted(value) && typeof Redacted.value(value) === "string",
  }),
} satisfies Checks.Checks<Said>)

type Of<T extends DeliveryReport["of"]["_tag"]> = Omit<
  Extract<DeliveryReport["of"], { readonly _tag: T }>,
  "_tag"
>

const ofMessage = Object.entries<Checks.Check>({
  organization: { must: "must be the id of an organization", holds: isOrganizationId },
  number: Checks.wholeNumber(1),
  token: Checks.optional(Checks.text),
} satisfies Checks.Checks<Of<"Message">>)

const ofGatewayId = Object.entries<Checks.Check>({
  gateway: Checks.name,
  gatewayId: Checks.id,
} satisfies Checks.Checks<Of<"GatewayId">>)

const ofProblem = (of: unknown): string | undefined => {
  if (!Checks.isObject(of)) return "of must be an object"
  if (of["_tag"] === "Message") return Checks.problemIn(of, ofMessage)
  if (of["_tag"] === "GatewayId") return Checks.problemIn(of, ofGatewayId)
  return "of._tag must be one of Message, GatewayId"
}

/** An adapter may leave `detail` out. */
type Loose<A> = Omit<A, "detail"> & { readonly detail?: string | null | undefined }

const reportProblem = (value: unknown): string | undefined =>
  Checks.isObject(value)
    ? (ofProblem(value["of"]) ?? Checks.problemIn(value, said))
    : "the report must be an object"

const isReport = (value: unknown): value is Loose<DeliveryReport> =>
  reportProblem(value) === undefined

/**
 * Reads a report of an adapter or a host. The failure is a sentence that names the first field that is
 * wrong and what it must be; it does not quote the value.
 */
export const read = (value: unknown): Result.Result<DeliveryReport, string> =>
  isReport(value)
    ? Result.succeed({ ...value, detail: value.detail ?? null })
    : Result.fail(reportProblem(value) ?? "")

/** Who has sent a report that cannot be read, as far as it says so. */
export const gatewayIn = (value: unknown): string | undefined => {
  if (!Checks.isObject(value)) return undefined
  const of = Checks.isObject(value["of"]) ? value["of"] : {}
  const name = [value["gateway"], of["gateway"]].find((one) => typeof one === "string")
  return name === undefined ? undefined : errorText(Masking.words(name))
}

const isReported = (value: Checks.Fields): value is Loose<Reported> & Checks.Fields =>
  Checks.problemIn(value, said) === undefined

/** Reads what an adapter says of a message that it was asked about. The failure is as in `read`. */
export const readAnswer = (value: unknown): Result.Result<GatewayOutcome | Reported, string> => {
  if (!Checks.isObject(value) || value["_tag"] !== "Reported") return readOutcome(value)
  return isReported(value)
    ? Result.succeed({ ...value, detail: value.detail ?? null })
    : Result.fail(Checks.problemIn(value, said) ?? "")
}
