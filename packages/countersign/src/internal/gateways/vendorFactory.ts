import type { Adapter } from "@countersign/gateways/Adapter"
import type { CommonOptions } from "@countersign/gateways/VendorOptions"
import type { Digest } from "effect/crypto/Digest"
import type { Mac } from "effect/crypto/Mac"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import type { HttpClient } from "effect/http/HttpClient"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import type * as Scope from "effect/Scope"
import type { Named, Vendor, VendorGateway, VendorOptions } from "../types/gateways.ts"
import type { Channel } from "@countersign/core/domain/values/Channel"
import type { Duration } from "@countersign/core/domain/values/DurationText"
import * as Fields from "@countersign/core/api/Fields"

export type Requirements = Mac | Digest | SecureRandom | Scope.Scope

/** The factory of a gateway to a vendor. The gateway itself is a value without methods. */
export interface VendorFactory {
  readonly gateway: VendorGateway
  /** The channels that the gateway carries. It gets no other messages. */
  readonly channels: ReadonlyArray<Channel>
  /** Whether the gateway depends on reports, so that its messages stay open without a receiver of reports. */
  readonly needsCallbacks: boolean
  readonly perSecond: number | undefined
  readonly recipientPause: Duration | undefined
  /** The problems of the options, one sentence each. */
  readonly problems: ReadonlyArray<string>
  /** The secrets, which no error message may contain. */
  readonly secrets: ReadonlyArray<string>
  /** Loads and creates the adapter. Without a `callbackUrl` it receives no reports. */
  readonly make: (callbackUrl: string | undefined) => Effect.Effect<Adapter, Error, Requirements>
}

const factories = new WeakMap<object, VendorFactory>()

/** Returns the factory of a gateway; `undefined` for a gateway written with promises. */
export const factoryOf = (gateway: object): VendorFactory | undefined => factories.get(gateway)

/** A text that is not empty. Callers in JavaScript can pass any type. */
export const text = Schema.declare(
  (value: unknown): value is string => typeof value === "string" && value !== "",
  { expected: "a text that is not empty" },
)

/** A text that no error and no log line shows. */
export const secret = Schema.RedactedFromValue(text)

/** An HTTP address. A problem does not quote it, because it may contain a password. */
export const address = Schema.declare(
  (value: unknown): value is string | URL =>
    (typeof value === "string" || value instanceof URL) &&
    /^https?:$/.test(URL.parse(String(value))?.protocol ?? ""),
  { expected: "an address that begins with http:// or https://" },
)

/** The adapter checks the bounds. */
export const duration = Schema.optional(Fields.duration)

const aboveZero = Schema.declare(
  (value: unknown): value is number => Number.isFinite(value) && Number(value) > 0,
  { expected: "a number above 0" },
)

export const poll = Schema.optional(
  Schema.Struct({ first: duration, longest: duration, end: duration }),
)

const common = Schema.Struct({
  name: Schema.optional(text),
  timeout: duration,
  perSecond: Schema.optional(aboveZero),
  recipientPause: duration,
  baseUrl: Schema.optional(address),
  callbackUrl: Schema.optional(address),
})

type CallbackUrl = { readonly callbackUrl?: string | URL | undefined }

/** A vendor in the table of `gateways.ts`. */
export interface Row<In, Out, Default extends string> {
  /** The name of the interface, and the default of the gateway's name. */
  readonly name: Default
  /**
   * The options that are checked or wrapped. The others reach the adapter unchanged, except inside a nested
   * `Struct`, which lists all options of its level.
   */
  readonly checks: Schema.Decoder<Out>
  /** Loads the adapter's module, so that only the modules of the configured vendors are loaded. */
  readonly load: () => Promise<{
    readonly make: (
      options: NoInfer<In & Out & CallbackUrl>,
    ) => Effect.Effect<Adapter, Error, HttpClient | Requirements>
  }>
  /** @defaultValue `["sms"]` */
  readonly channels?: ReadonlyArray<Channel> | undefined
  /**
   * The secret that verifies the vendor's reports. With it, the gateway depends on reports; without it, it
   * reads none. `undefined`: the gateway works with and without reports.
   */
  readonly verifiedBy?: NoInfer<keyof In> | undefined
  readonly limitsRate?: boolean | undefined
}

/** Returns a sentence about the problem. Never quotes a value, which may be a secret. */
const sentence: SchemaIssue.LeafHook = (issue) => {
  if (issue._tag === "InvalidValue" && typeof issue.annotations?.message === "string") {
    return issue.annotations.message
  }
  const expected = "ast" in issue ? issue.ast.annotations?.["expected"] : undefined
  return expected === undefined ? missing : `has to be ${String(expected)}`
}

const missing = "is missing"

const format = SchemaIssue.makeFormatterStandardSchemaV1({ leafHook: sentence })

const problemsOf = (decoded: Result.Result<unknown, Schema.SchemaError>): ReadonlyArray<string> => {
  if (Result.isSuccess(decoded)) return []
  const { issues } = format(decoded.failure.issue)
  // Missing options come last: they may belong to another way to authenticate than the chosen one.
  return issues
    .toSorted((a, b) => Number(a.message === missing) - Number(b.message === missing))
    .map(({ message, path = [] }) => `${path.join(".")} ${message}`)
}

const secretsIn = (value: unknown): ReadonlyArray<string> => {
  if (Redacted.isRedacted(value)) return [String(Redacted.value(value))]
  if (typeof value !== "object" || value === null) return []
  return Object.values(value).flatMap(secretsIn)
}

/**
 * Makes the function that creates gateways to a vendor with the options `In`, which are given apart because they cannot
 * be inferred. It keeps no secret in clear.
 */
export const vendor =
  <In extends CommonOptions & CallbackUrl>() =>
  <Out, const Default extends string>(row: Row<In, Out, Default>): Vendor<In, Default> => {
    function create<const Name extends string = Default>(
      options: In & VendorOptions & Named<Name>,
    ): VendorGateway<Name>
    function create(options: In & VendorOptions): VendorGateway {
      const { checks, limitsRate = false, load, name: vendorName, verifiedBy } = row
      const isVerified = verifiedBy !== undefined && options[verifiedBy] !== undefined
      const own = Schema.decodeUnknownResult(checks, { errors: "all" })(options)
      const problems = [
        ...problemsOf(own),
        ...problemsOf(Schema.decodeUnknownResult(common, { errors: "all" })(options)),
        ...(verifiedBy !== undefined && !isVerified && options.callbackUrl !== undefined
          ? [`callbackUrl goes with ${String(verifiedBy)}`]
          : []),
      ].map((problem) => `${vendorName}: ${problem}`)
      const { name = vendorName, recipientPause, perSecond } = options
      const gateway: VendorGateway = Object.freeze({ name, vendor: vendorName })
      const checked = Result.map(own, (wrapped) => ({ ...options, ...wrapped }))
      factories.set(gateway, {
        gateway,
        channels: row.channels ?? ["sms"],
        needsCallbacks: isVerified,
        perSecond: limitsRate ? undefined : perSecond,
        recipientPause,
        problems,
        secrets: Result.isSuccess(own) ? secretsIn(own.success) : [],
        make: (address) => {
          if (Result.isFailure(checked)) return Effect.die(checked.failure)
          const reportsTo = verifiedBy === undefined || isVerified ? address : undefined
          const callbackUrl = options.callbackUrl ?? reportsTo
          const modules = () => Promise.all([load(), import("effect/http/FetchHttpClient")])
          return Effect.flatMap(Effect.promise(modules), ([{ make }, { layer }]) =>
            Effect.provide(make({ ...checked.success, callbackUrl }), layer),
          )
        },
      })
      return gateway
    }
    return create
  }
