/**
 * The factory of a vendor's gateway, stored beside the public value that represents it.
 */
import type { Gateway } from "@countersign/core/ports/Gateway"
import type { Adapter } from "@countersign/gateways/Adapter"
import type { Digest } from "effect/crypto/Digest"
import type { Mac } from "effect/crypto/Mac"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import type * as Effect from "effect/Effect"
import type { HttpClient } from "effect/http/HttpClient"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import type { Channel } from "../types/data.ts"
import type { PollPlan, VendorGateway, VendorOptions } from "../vendorTypes.ts"

/** The services that adapters require. */
export type Requirements = HttpClient | Mac | Digest | SecureRandom | Scope.Scope

export interface VendorFactory {
  readonly gateway: VendorGateway
  /** The channels that the gateway carries. It gets no other messages. */
  readonly channels: ReadonlyArray<Channel>
  /** Whether the gateway depends on reports, so that its messages stay open without a receiver of reports. */
  readonly needsCallbacks: boolean
  readonly perSecond: number | undefined
  readonly pairMillis: number | undefined
  /** The problems of the options, one sentence each. */
  readonly problems: ReadonlyArray<string>
  /** The secrets, which no error message may contain. */
  readonly secrets: ReadonlyArray<Redacted.Redacted>
  /**
   * Loads and creates the adapter. `callbackUrl` is the address for its reports; `undefined`: no reports are
   * received.
   */
  readonly make: (callbackUrl: string | undefined) => Effect.Effect<Adapter, Error, Requirements>
}

export type Port = Gateway["Service"]

const factories = new WeakMap<object, VendorFactory>()

/** Returns the factory of a gateway; `undefined` for a gateway written with promises. */
export const factoryOf = (gateway: object): VendorFactory | undefined => factories.get(gateway)

/** Reads options. Collects their problems, which are reported when the engine starts. */
export class Settings {
  readonly problems: Array<string> = []
  readonly secrets: Array<Redacted.Redacted> = []
  readonly #vendor: string

  constructor(vendor: string) {
    this.#vendor = vendor
  }

  /** Records a problem of an option. */
  problem(name: string, sentence: string): void {
    this.problems.push(`${this.#vendor}: ${name} ${sentence}`)
  }

  /** Reads a required text. Callers in JavaScript can pass any type. */
  text(name: string, value: unknown): string {
    if (typeof value === "string" && value !== "") return value
    this.problem(name, "has to be a text that is not empty")
    return ""
  }

  secret(name: string, value: unknown): Redacted.Redacted {
    const secret = Redacted.make(this.text(name, value), { label: name })
    if (Redacted.value(secret) !== "") this.secrets.push(secret)
    return secret
  }

  optionalSecret(name: string, value: unknown): Redacted.Redacted | undefined {
    return value === undefined ? undefined : this.secret(name, value)
  }

  /** Reads an HTTP address. A problem does not quote it, because it may contain a password. */
  url(name: string, value: unknown): string {
    const text = this.text(name, value)
    const { protocol } = URL.parse(text) ?? {}
    if (text !== "" && protocol !== "http:" && protocol !== "https:") {
      this.problem(name, "has to be an address that begins with http:// or https://")
    }
    return text
  }

  optionalUrl(name: string, value: unknown): string | undefined {
    return value === undefined ? undefined : this.url(name, value)
  }

  atLeast(name: string, value: number | undefined, least: number): void {
    if (value === undefined || (Number.isFinite(value) && value >= least)) return
    this.problem(name, `has to be a number from ${least} on`)
  }

  /** Reads the times of polling. The adapter has the defaults. */
  poll(plan: PollPlan | undefined): Partial<Record<keyof PollPlan, number>> {
    const read: Partial<Record<keyof PollPlan, number>> = {}
    for (const name of ["firstMillis", "longestMillis", "endMillis"] as const) {
      const value = plan?.[name]
      this.atLeast(`poll.${name}`, value, 1)
      if (value !== undefined) read[name] = value
    }
    return read
  }

  moreThanZero(name: string, value: number | undefined): void {
    if (value === undefined || (Number.isFinite(value) && value > 0)) return
    this.problem(name, "has to be a number above 0")
  }
}

/** The members of a factory that differ between vendors. */
type VendorParts = Pick<VendorFactory, "make"> &
  Partial<Pick<VendorFactory, "channels" | "needsCallbacks" | "perSecond">>

/** Creates the value that represents a vendor's gateway. Calls `read` immediately, and keeps no secret in clear. */
export const vendor = (
  name: string,
  options: VendorOptions,
  read: (settings: Settings) => VendorParts,
): VendorGateway => {
  const settings = new Settings(name)
  const { name: given = name, pairMillis, perSecond, timeoutMillis } = options
  const own = read(settings)
  settings.text("name", given)
  settings.atLeast("timeoutMillis", timeoutMillis, 1)
  settings.moreThanZero("perSecond", perSecond)
  settings.atLeast("pairMillis", pairMillis, 0)
  const gateway: VendorGateway = Object.freeze({ name: given, vendor: name })
  factories.set(gateway, {
    gateway,
    channels: ["sms"],
    needsCallbacks: false,
    perSecond,
    pairMillis,
    ...own,
    problems: settings.problems,
    secrets: settings.secrets,
  })
  return gateway
}
