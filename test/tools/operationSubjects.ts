import type { Printer } from "./operationTypes.ts"
import {
  prepareMessage,
  prepareVerification,
  queuedMessages,
  queuedVerifications,
} from "@countersign/core/api/outbox"
import { batches, estimated, sendMany, sentMany } from "@countersign/core/api/batches"
import { account } from "@countersign/core/api/account"
import { audit } from "@countersign/core/api/audit"
import { refusals } from "@countersign/core/api/refusals"
import { webhooks } from "@countersign/core/api/webhooks"
import { fraud } from "@countersign/core/api/fraud"
import { totals } from "@countersign/core/api/totals"
import { alerts } from "@countersign/core/api/alerts"
import { apiKeys } from "@countersign/core/api/apiKeys"
import { gatewayActivity, gatewayTests } from "@countersign/core/api/gateways"
import { gateways } from "@countersign/core/api/installation"
import { messages } from "@countersign/core/api/messages"
import { privacy, personalRecord } from "@countersign/core/api/privacy"
import { reports } from "@countersign/core/api/reports"
import { verifications } from "@countersign/core/api/verifications"
import { optOuts } from "@countersign/core/api/optOuts"
import { organizations } from "@countersign/core/api/organizations"
import { senders } from "@countersign/core/api/senders"

/** The operations in the order of the files that define their types. */
export const subjects = [
  {
    name: "organizations",
    title: "Organizations",
    about: "Manages organizations and their settings.",
    operations: organizations,
  },
  {
    name: "apiKeys",
    title: "ApiKeys",
    about: "Manages the keys of the HTTP interface.",
    operations: apiKeys,
  },
  {
    name: "senders",
    title: "Senders",
    about: "Manages the senders of an organization.",
    operations: senders,
  },
  {
    name: "account",
    title: "Account",
    about: "Reads and changes the prepaid balance.",
    operations: account,
  },
  {
    name: "audit",
    title: "Audit",
    about: "Reads the audit of an organization.",
    operations: audit,
  },
  {
    name: "totals",
    title: "Totals",
    about: "Reads totals for charts and reports.",
    operations: totals,
  },
  {
    name: "refusals",
    title: "Refusals",
    about: "Reads the calls that were refused.",
    operations: refusals,
  },
  {
    name: "webhooks",
    title: "Webhooks",
    about: "Manages the addresses that receive the events of an organization.",
    operations: webhooks,
  },
  {
    name: "fraud",
    title: "Fraud",
    about: "Reads the findings of fraud detection, and tries its rules.",
    operations: fraud,
  },
  {
    name: "reports",
    title: "Reports",
    about: "Receives and reads delivery reports.",
    operations: reports,
  },
  {
    name: "messages",
    title: "Messages",
    about: "Sends messages and reads the log.",
    operations: { ...messages, ...queuedMessages },
    more: (printer: Printer) =>
      `/**
 * Write a batch: a text to many recipients. It begins to send when all are written. A repeat with the same
 * \`idempotencyKey\` and the same recipients, in the same order, goes on where an earlier call has ended. Errors:
 * \`sender_unusable\`, \`idempotency_mismatch\`, \`batch_unchangeable\`.
 */
readonly sendMany: (input: ${printer.type(sendMany.ast)} & { readonly recipients: ${printer.hand("Recipients")} }) => Promise<${printer.type(sentMany.ast)}>
/** Returns what \`sendMany\` would write, and its price. Writes and sends nothing. Errors: \`sender_unusable\`. */
readonly estimate: (input: ${printer.type(sendMany.ast)} & { readonly recipients: ${printer.hand("Recipients")} }) => Promise<${printer.type(estimated.ast)}>
/** Returns a message for your own transaction. Without I/O. Throws what the input shows to be wrong. */
readonly prepare: (input: ${printer.type(prepareMessage.ast)}) => ${printer.hand("Prepared")} & { readonly id: string }
`,
  },
  {
    name: "batches",
    title: "Batches",
    about: "Reads and controls batches of messages.",
    operations: batches,
  },
  {
    name: "verifications",
    title: "Verifications",
    about: "Sends and checks one-time codes.",
    operations: { ...verifications, ...queuedVerifications },
    more: (printer: Printer) =>
      `/** Returns an id for \`send\`, for hosts that store it first. Reads and writes nothing. */
readonly newRequestId: () => string
/** Returns a code for your own transaction. Without I/O. Throws what the input shows to be wrong. */
readonly prepare: (input: ${printer.type(prepareVerification.ast)}) => ${printer.hand("Prepared")} & { readonly requestId: string }
`,
  },
  {
    name: "privacy",
    operations: { ...privacy, export: { ...privacy.erase, output: personalRecord } },
  },
  {
    name: "optOuts",
    title: "OptOuts",
    about: "Manages the numbers that get no promotional messages.",
    operations: optOuts,
  },
  {
    name: "alerts",
    title: "Alerts",
    about: "Reads which alerts are open, and their bounds.",
    operations: alerts,
  },
  { name: "gateways", operations: { ...gateways, ...gatewayActivity, ...gatewayTests } },
]
