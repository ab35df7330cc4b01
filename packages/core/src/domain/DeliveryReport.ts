/**
 * What a gateway tells later of a message that it has taken, and how it is read: adapters may be written
 * in JavaScript, so each field is checked.
 */
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import {
  errorText,
  type GatewayOutcome,
  readOutcome,
  type RejectionReason,
  rejectionReasons,
  type ReportStatus,
  reportStatuses,
} from "./GatewayOutcome.ts"
import { isOrganizationId, type MessageRef } from "./Ids.ts"
import * as Checks from "./internal/checks.ts"
import * as Masking from "./Masking.ts"

/** A message that a report names itself. */
export interface ReportedMessage extends MessageRef {
  /**
   * The end of the message's token, where the vendor gives it back. Installations that share an account
   * or a phone count alike: a report that does not fit the token of our message is about another's.
   */
  readonly token?: string | undefined
}

/** What became of a message, as the gateway tells later. */
export interface DeliveryReport {
  /** The message itself, or the gateway's own name for it. */
  readonly of:
    | ({ readonly _tag: "Message" } & ReportedMessage)
    | { readonly _tag: "GatewayId"; readonly gateway: string; readonly gatewayId: string }
  readonly status: ReportStatus
  /** The vendor's words. */
  readonly detail: string | null
  /** Whose fault it was, where the vendor documents that. */
  readonly reason?: RejectionReason | undefined
  /** As in an outcome that is `Rejected`. */
  readonly unreachable?: boolean | undefined
  /** Who reports; whoever took the message when left out. */
  readonly gateway?: string | undefined
  /**
   * What came, as text: the query and the body of a request, an answer, a receipt. Of one message only,
   * where the vendor tells of several at once. It is masked before it is kept.
   */
  readonly raw?: Redacted.Redacted<string> | undefined
}

/** What a gateway says, when it is asked, of a message that it has taken. */
export interface Reported extends Omit<DeliveryReport, "of"> {
  readonly _tag: "Reported"
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
  sequence: Checks.wholeNumber(1),
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
