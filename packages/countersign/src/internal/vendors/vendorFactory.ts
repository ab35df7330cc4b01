/**
 * How the gateway to a vendor is made, kept beside the value that stands for it.
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
import type { Channel } from "../types.ts"
import type { PollPlan, VendorGateway, VendorOptions } from "../vendorTypes.ts"

/** What adapters stand on. */
export type Requirements = HttpClient | Mac | Digest | SecureRandom | Scope.Scope

export interface VendorFactory {
  readonly gateway: VendorGateway
  /** What it carries, so that it is asked for nothing else. */
  readonly channels: ReadonlyArray<Channel>
  /** Whether it counts on being reported to, so that its messages stay open where nobody listens. */
  readonly needsCallbacks: boolean
  readonly perSecond: number | undefined
  readonly pairMillis: number | undefined
  /** What is wrong with the options, a sentence for each thing that is. */
  readonly problems: ReadonlyArray<string>
  /** What no message may quote. */
  readonly secrets: ReadonlyArray<Redacted.Redacted>
  /** Loads the adapter, and makes it. `callbackUrl` is where it is reported to; `undefined` for nowhere. */
  readonly make: (callbackUrl: string | undefined) => Effect.Effect<Adapter, Error, Requirements>
}

export type Port = Gateway["Service"]

const factories = new WeakMap<object, VendorFactory>()

/** How a gateway is made; `undefined` for one that was written with promises. */
export const factoryOf = (gateway: object): VendorFactory | undefined => factories.get(gateway)

/** Reads options. What is wrong with them is collected, and said when the engine is started. */
export class Settings {
  readonly problems: Array<string> = []
  readonly secrets: Array<Redacted.Redacted> = []
  readonly #vendor: string

  constructor(vendor: string) {
    this.#vendor = vendor
  }

  /** Something is wrong with an option. */
  problem(name: string, sentence: string): void {
    this.problems.push(`${this.#vendor}: ${name} ${sentence}`)
  }

  /** A text that has to be there; callers in JavaScript may hand over anything. */
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

  /** An address of HTTP. It is not quoted: it may have a password in it. */
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

  /** When a vendor is asked; what is left out is the adapter's business. */
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

/** The parts of a recipe that differ. */
type VendorParts = Pick<VendorFactory, "make"> &
  Partial<Pick<VendorFactory, "channels" | "needsCallbacks" | "perSecond">>

/** The value that stands for a gateway to a vendor. `read` is called at once, and no secret stays in clear. */
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
