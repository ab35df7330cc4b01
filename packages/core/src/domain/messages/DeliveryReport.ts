/**
 * Delivery reports of a gateway, and how they are parsed. Adapters may be written in JavaScript, so each
 * field is checked.
 */
import * as Result from "effect/Result"
import * as GatewayOutcome from "./GatewayOutcome.ts"
import { type RejectionReason, rejectionReasons } from "../values/FailureReason.ts"
import { isOrganizationId, type MessageRef } from "../values/Ids.ts"
import * as Checks from "../values/internal/checks.ts"
import type { Evidence } from "./Evidence.ts"
import * as Masking from "../values/Masking.ts"

/** A message that a report names itself. */
export interface ReportedMessage extends MessageRef {
  /** The end of its token, if returned: installations that share an account use the same sequences. */
  readonly token?: string | undefined
}

/** The outcome of a message, as the gateway reports it later. */
export interface DeliveryReport {
  /** The message, or the gateway's id of it. */
  readonly of:
    | ({ readonly _tag: "Message" } & ReportedMessage)
    | { readonly _tag: "GatewayId"; readonly gateway: string; readonly gatewayId: string }
  readonly status: GatewayOutcome.ReportStatus
  /** The vendor's own text. */
  readonly detail: string | null
  /** The cause of the failure, if the vendor documents it. */
  readonly reason?: RejectionReason | undefined
  /** The vendor's code of the error, such as `30003`. */
  readonly vendorCode?: string | undefined
  /** As in a `Rejected` outcome. */
  readonly unreachable?: boolean | undefined
  /** The reporting gateway. `undefined`: the gateway that accepted the message. */
  readonly gateway?: string | undefined
  /** The documented fields to keep for disputes, such as ids, statuses, error codes, times and prices. */
  readonly evidence?: Evidence | undefined
}

type Said = Omit<DeliveryReport, "of">

/** A gateway's answer to a lookup of a message that it has accepted. */
export interface Reported extends Said {
  readonly _tag: "Reported"
}

const said = Object.entries<Checks.Check>({
  status: Checks.oneOf(GatewayOutcome.reportStatuses),
  detail: {
    must: "must be a text or null",
    holds: (value) => value === null || value === undefined || typeof value === "string",
  },
  reason: Checks.optional(Checks.oneOf(rejectionReasons)),
  vendorCode: Checks.optional(Checks.text),
  unreachable: Checks.optional(Checks.boolean),
  gateway: Checks.optional(Checks.name),
  evidence: Checks.optional({ must: "must be an object", holds: Checks.isObject }),
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

/** An adapter may omit `detail`. */
type Loose<A> = Omit<A, "detail"> & { readonly detail?: string | null | undefined }

const withDetail = <A extends Loose<Said>>(value: A) => ({ ...value, detail: value.detail ?? null })

const readReport = GatewayOutcome.reader<Loose<DeliveryReport>>((value) =>
  Checks.isObject(value)
    ? (ofProblem(value["of"]) ?? Checks.problemIn(value, said))
    : "the report must be an object",
)

/** Parses a report. The failure names the first wrong field and its requirement, never the value. */
export const read = (value: unknown): Result.Result<DeliveryReport, string> =>
  Result.map(readReport(value), withDetail)

/** The gateway of an unreadable report; `undefined` if the report does not name one. */
export const gatewayIn = (value: unknown): string | undefined => {
  if (!Checks.isObject(value)) return undefined
  const of = Checks.isObject(value["of"]) ? value["of"] : {}
  const name = [value["gateway"], of["gateway"]].find((one) => typeof one === "string")
  return name === undefined ? undefined : GatewayOutcome.errorText(Masking.words(name))
}

const readReported = GatewayOutcome.reader<Loose<Reported>>((value) =>
  Checks.problemIn(Object(value), said),
)

/** Parses an adapter's answer to a lookup. The failure is as in `read`. */
export const readAnswer = (
  value: unknown,
): Result.Result<GatewayOutcome.GatewayOutcome | Reported, string> =>
  Checks.isObject(value) && value["_tag"] === "Reported"
    ? Result.map(readReported(value), withDetail)
    : GatewayOutcome.readOutcome(value)
