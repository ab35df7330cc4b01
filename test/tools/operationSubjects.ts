import { account } from "@countersign/core/api/account"
import { audit } from "@countersign/core/api/audit"
import { refusals } from "@countersign/core/api/refusals"
import { webhooks } from "@countersign/core/api/webhooks"
import { fraud } from "@countersign/core/api/fraud"
import { totals } from "@countersign/core/api/totals"
import { apiKeys } from "@countersign/core/api/apiKeys"
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
]
