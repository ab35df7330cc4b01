/**
 * The names and types of the options, checked for callers in JavaScript. The code that uses a value checks its
 * meaning and its bounds.
 */
import type { AdminOptions } from "@countersign/http/admin/AdminOptions"
import type { ProofOptions } from "@countersign/proofs/ProofOptions"
import { checkProxies, positive, refuse } from "./check.ts"
import type { CountersignOptions, VerificationOptions } from "../types/options.ts"
import type { FraudRules } from "@countersign/core/api/types/fraud"
import type { Range } from "@countersign/core/domain/limits/LimitValues"
import { type Kind, plainTable } from "@countersign/core/domain/limits/LimitTable"
import { defaults as records } from "@countersign/core/domain/organizations/RecordOptions"
import * as Record from "effect/Record"
import { check, type Shape, type ShapeOf } from "./shape.ts"

/** Options that the code that reads them checks. */
type Checked = Omit<CountersignOptions, "clock" | "gateways" | "limits" | "verifications"> & {
  readonly clock: unknown
  readonly gateways: unknown
  readonly verifications: Omit<VerificationOptions, "proofs"> & {
    readonly proofs: Omit<ProofOptions, "keys"> & { readonly keys: ReadonlyArray<unknown> }
  }
}

const text = "a text"
const number = "a number"
const duration = "a duration"
const flag = "true or false"
const run = "a function"
const anything = "anything"

const range: ShapeOf<Range> = { default: number, max: number, min: number }

const kinds = {
  window: [{ max: number, per: duration }, "or a list"],
  count: number,
  money: text,
  duration,
  range,
  durationRange: { default: duration, max: duration, min: duration },
  cap: { default: number, max: number },
} as const satisfies Record<Kind, Shape>

const limits: Shape = Record.map(plainTable, ({ canBeNone, kind }): Shape =>
  canBeNone ? [kinds[kind], null] : kinds[kind],
)

const fraudRules: ShapeOf<FraudRules> = {
  action: text,
  maxSent: number,
  minConversion: number,
  minSent: number,
  prefixDigits: number,
  window: duration,
}

const options: ShapeOf<Checked> & Shape = {
  callbacks: {
    basePath: text,
    maxBodyBytes: number,
    maxRequests: number,
    publicUrl: text,
  },
  clock: anything,
  countries: [text],
  database: [
    {
      commits: text,
      folder: text,
      maxConnections: number,
      migrate: flag,
      partitions: number,
      phoneNumberSecret: [text, "or a list"],
      schema: text,
      url: text,
    },
    "or a text",
  ],
  defaultOrganization: flag,
  gateways: anything,
  http: {
    allowListScope: text,
    basePath: text,
    documentation: flag,
    maxBodyBytes: number,
    maxRequests: number,
    maxRequestsPerKey: number,
    trustedProxies: [text],
  },
  limits,
  log: run,
  secret: [text, "or a list"],
  prices: { currency: text, of: run, per: text, sms: text, whatsapp: text },
  production: flag,
  records: Record.map(records, () => flag),
  retention: {
    audit: duration,
    events: duration,
    findings: duration,
    messages: duration,
    refusals: duration,
    totals: duration,
    verifications: duration,
  },
  routing: {
    accountPause: duration,
    pause: duration,
    pauseAfter: number,
    rememberNotOnWhatsApp: duration,
    retryFor: duration,
    routes: [
      {
        channels: [text],
        gateway: text,
        organizations: [text],
        prefixes: [text],
        priority: number,
        purposes: [text],
        senders: [text],
        weight: number,
      },
    ],
  },
  senders: { sms: text, whatsapp: text },
  settleAfter: duration,
  shutdownTimeout: duration,
  testNumbers: {
    allowInProduction: flag,
    bypassLimits: flag,
    numbers: [{ code: text, phoneNumber: text, outcome: text }],
  },
  verifications: {
    channels: [text],
    fallback: { reportWithin: duration, whatsappFirst: flag },
    fraud: fraudRules,
    profile: text,
    proofs: { audience: text, issuer: text, keys: [anything], lifetime: duration },
    texts: {
      androidHash: text,
      domain: text,
      locales: [text],
      render: run,
      templates: [
        {
          androidHash: text,
          domain: text,
          senderName: text,
          locale: text,
          organization: text,
          text: run,
        },
      ],
    },
  },
  webhooks: { allowHttp: flag, allowPrivateAddresses: flag, deliver: flag },
}

/** Refuses unknown names and values of the wrong type, at every level. */
export const checkOptions = (value: unknown): void => check(options, value, [])

const adminOptions = {
  authorize: run,
  pages: { file: run, isPublic: run },
  basePath: text,
  hosts: [text],
  trustedProxies: [text],
  maxStreams: number,
  isProduction: flag,
  inboxUrl: text,
} as const satisfies ShapeOf<AdminOptions>

/** The same for the admin API, which is never open. */
export const checkAdminOptions = (value: AdminOptions): void => {
  check(adminOptions, value, ["admin"])
  if (value.authorize === undefined) {
    refuse("admin.authorize must be a function: it decides who may use the admin API")
  }
  checkProxies("admin.trustedProxies", value.trustedProxies)
  positive("admin.maxStreams", value.maxStreams)
}
