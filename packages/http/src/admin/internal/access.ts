import type { Access } from "@countersign/core/api/Operation"

const read: Access = { role: "read" }
const support: Access = { role: "support" }
const operatorRead: Access = { role: "read", isOperatorOnly: true }
const admin: Access = { role: "admin" }
/** The rights that each endpoint of the admin API needs. */
export const accessOf = {
  "session.get": read,
  "session.list": read,
  "session.endAll": read,
  "host.gateways": operatorRead,
  "host.unmatchedReports": operatorRead,
  "messages.search": read,
  "messages.searchCsv": read,
  "messages.get": read,
  "messages.send": admin,
  "verifications.search": read,
  "verifications.get": read,
  "verifications.send": admin,
  "verifications.check": admin,
  "verifications.resend": admin,
  "verifications.cancel": support,
  "verifications.resetGuesses": support,
  "events.read": read,
  "events.stream": read,
  "privacy.erase": admin,
  "privacy.export": admin,
} as const satisfies Readonly<Record<string, Access>>

export type EndpointName = keyof typeof accessOf
