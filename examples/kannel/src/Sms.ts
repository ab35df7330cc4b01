/**
 * The way to Kannel and back: one adapter, of which the engine has the gateway and the server the reader
 * of reports.
 */
import { Gateway } from "@countersign/core/ports/Gateway"
import type { Adapter } from "@countersign/gateways/Adapter"
import * as Callbacks from "@countersign/gateways/Callbacks"
import * as Kannel from "@countersign/gateways/Kannel"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

/** Without reports every message would count as delivered, and nothing would ever be given back. */
export class NoReports extends Schema.TaggedError<NoReports>()("NoReports", {}) {
  override get message(): string {
    return "KANNEL_CALLBACK_URL and KANNEL_CALLBACK_SECRET say where Kannel reports to; both have to be set"
  }
}

/** Kannel would send reports to an address without a server. */
export class WrongCallbackUrl extends Schema.TaggedError<WrongCallbackUrl>()("WrongCallbackUrl", {
  path: Schema.String,
}) {
  override get message(): string {
    return `KANNEL_CALLBACK_URL has to end with ${this.path}`
  }
}

export class Sms extends Context.Service<
  Sms,
  {
    readonly adapter: Adapter
    /** Where Kannel finds the server: what stands before `/callbacks/kannel`. */
    readonly publicUrl: URL
  }
>()("kannel/Sms") {
  static readonly layer = Layer.effect(
    Sms,
    Effect.gen(function* () {
      const options = yield* Kannel.config
      const { callbackSecret, callbackUrl } = options
      if (
        callbackUrl === undefined ||
        callbackSecret === undefined ||
        Redacted.value(callbackSecret) === ""
      ) {
        return yield* new NoReports()
      }
      const adapter = yield* Kannel.make(options)
      const url = new URL(callbackUrl)
      const publicUrl = new URL("..", url)
      if (Callbacks.urlOf(publicUrl, adapter.gateway.name) !== url.href) {
        const path = new URL(Callbacks.urlOf(url.origin, adapter.gateway.name)).pathname
        return yield* new WrongCallbackUrl({ path })
      }
      return { adapter, publicUrl }
    }),
  )
}

export const layerGateway = Layer.effect(
  Gateway,
  Effect.map(Sms, ({ adapter }) => adapter.gateway),
)
