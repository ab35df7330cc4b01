/**
 * The bodies of the admin API about the session, the host and its gateways.
 */
import { fraudRules } from "@countersign/core/api/fraud"
import { plainLimits } from "@countersign/core/api/limits"
import { outcomes } from "@countersign/core/domain/verifications/TestNumber"
import * as Schema from "effect/Schema"
import { MessageReport } from "./AdminMessages.ts"
import { roles } from "./AdminOptions.ts"
import { body, channel, duration, next, textOrNull, time } from "./internal/fields.ts"

const { Boolean, Finite, NullOr, String, Struct } = Schema

const list = Schema.Array

const kept = NullOr(duration)

/** What applies to every organization. */
export const HostFacts = body("HostFacts", {
  currency: String,
  channels: list(channel).annotate({ description: "The channels of codes." }),
  limits: plainLimits.annotate({
    description: "The limits of an organization without limits of its own. Null: no limit.",
  }),
  locales: list(String).annotate({ description: "The languages of codes, the default first." }),
  production: Boolean,
  retention: Struct({
    messages: kept,
    verifications: kept,
    recipients: kept,
    findings: kept,
    totals: kept,
    events: kept,
    audit: kept,
    refusals: kept,
  }).annotate({ description: "How long rows are kept. Null: forever." }),
  testNumbers: list(Struct({ phoneNumber: String, outcome: Schema.Literals(outcomes) })),
  fraud: NullOr(fraudRules),
  fallback: NullOr(Struct({ reportWithin: duration, whatsappFirst: Boolean })),
  inboxUrl: textOrNull,
})

/** Who makes the requests. */
export const Session = body("Session", {
  actor: Struct({ id: String, origin: textOrNull }),
  roles: list(Schema.Literals(roles)),
  organization: textOrNull.annotate({ description: "Null for an operator, who sees all." }),
  clientAddress: textOrNull.annotate({
    description: "The address that the request comes from. Null: the mount does not know it.",
  }),
  hasLoginSessions: Boolean.annotate({
    description: "Whether the login keeps its sessions in the engine, so that they can be listed.",
  }),
  host: HostFacts,
})

/** The sessions of the login of the reader. */
export const LoginSessionList = body("LoginSessionList", {
  sessions: list(
    Struct({
      id: String,
      startedAt: time,
      lastSeenAt: time.annotate({ description: "Up to a minute early." }),
      network: textOrNull.annotate({ description: "The network of the address at sign-in." }),
      agent: textOrNull.annotate({ description: "The browser." }),
      isCurrent: Boolean,
    }),
  ).annotate({ description: "Newest first." }),
})

/** A gateway of this process. */
export const GatewayState = body("GatewayState", {
  gateway: String,
  state: Schema.Literals(["available", "trying", "failing", "barred"]),
  reason: textOrNull,
  channels: list(channel),
  reports: Schema.Literals(["signed", "unsigned", "polled", "none"]),
  honoursToken: Boolean,
  lookup: Boolean,
  recipientCheck: Boolean,
  timeout: duration,
  perSecond: NullOr(Finite),
  recipientPause: duration,
})

export const GatewayList = body("GatewayList", { gateways: list(GatewayState) })

/** Reports of gateways on messages that are not known. */
export const UnmatchedReports = body("UnmatchedReports", {
  reports: list(
    Struct({
      gateway: String,
      gatewayId: String,
      receivedAt: time,
      status: MessageReport.fields.status,
      detail: textOrNull,
    }),
  ),
  next,
})
