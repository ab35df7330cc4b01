/**
 * The names and types of the options, checked for callers in JavaScript. The code that uses a value checks its
 * meaning and its bounds.
 */
import type { AdminOptions } from "@countersign/http/admin/AdminOptions"
import type { ProofOptions } from "@countersign/proofs/ProofOptions"
import { checkProxies, positive, refuse } from "./check.ts"
import type { CountersignOptions, TextLines, VerificationOptions } from "../types/options.ts"
import type { FraudRules } from "@countersign/core/api/types/fraud"
import type { Limits } from "@countersign/core/api/types/limits"
import type { Range } from "@countersign/core/domain/limits/LimitValues"
import { type Kind, plainTable, type Row } from "@countersign/core/domain/limits/LimitTable"
import * as Struct from "effect/Struct"
import { check, eachUnknown, placeOf, refuseName, type Shape, type ShapeOf } from "./shape.ts"

/** Options that the code that reads them checks. */
type Checked = Omit<CountersignOptions, "clock" | "gateways" | "verifications"> & {
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

type LimitShapeOf<R> = R extends {
  readonly kind: infer K extends Kind
  readonly canBeNone: infer None
}
  ? None extends true
    ? readonly [(typeof kinds)[K], null]
    : (typeof kinds)[K]
  : never

interface LimitShape extends Struct.Lambda {
  (row: Row): LimitShapeOf<Row>
  readonly "~lambda.out": LimitShapeOf<this["~lambda.in"]>
}

export const limits: ShapeOf<Limits> = Struct.map(
  plainTable,
  Struct.lambda<LimitShape>(({ canBeNone, kind }) =>
    canBeNone ? ([kinds[kind], null] as const) : kinds[kind],
  ),
)

export const fraudRules: ShapeOf<FraudRules> = {
  action: text,
  maxSent: number,
  minConversion: number,
  minSent: number,
  prefixDigits: number,
  window: duration,
}

const textLines: ShapeOf<TextLines> = { androidHash: text, domain: text }

const options: ShapeOf<Checked> = {
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
  records: {
    audit: flag,
    bodies: flag,
    events: flag,
    refusalEvents: flag,
    refusals: flag,
    totals: flag,
  },
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
  senders: {
    sms: text,
    whatsapp: text,
  },
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
      ...textLines,
      locales: [text],
      render: run,
      templates: [
        {
          ...textLines,
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
export const checkOptions = (value: unknown): void => {
  eachUnknown(options, value, [], (path, known) => {
    const place = placeOf(options, path.at(-1) ?? "")
    if (place === undefined) return refuseName(path, known)
    refuse(`${path.join(".")} is not an option; did you mean ${place}?`)
  })
  check(options, value, [])
}

const adminOptions = {
  authorize: "a function",
  pages: { file: "a function", isPublic: "a function" },
  basePath: text,
  hosts: [text],
  trustedProxies: [text],
  maxStreams: "a number",
  isProduction: "true or false",
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
