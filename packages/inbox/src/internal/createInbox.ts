import { Gateway } from "@countersign/core/ports/Gateway"
import * as Mount from "@countersign/node/Mount"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import { checkNames, names, namesOf } from "./checkNames.ts"
import { Inbox as Service, layerWith } from "./inbox.ts"
import { noTime } from "./errors.ts"
import { phoneNumberOf } from "./phoneNumber.ts"
import * as Routes from "./routes.ts"
import type { Inbox, InboxOptions } from "./types.ts"

const optionNames = namesOf<InboxOptions>({
  delivery: true,
  numbers: true,
  timeout: true,
  allowInProduction: true,
  basePath: true,
  hosts: true,
})

/**
 * Creates an inbox for development: its gateway keeps the newest 500 messages in memory and sends them nowhere.
 * Throws `NotForProductionError` if `NODE_ENV` is `production`, unless `allowInProduction` is set.
 */
export const createInbox = (options: InboxOptions = {}): Inbox => {
  checkNames("createInbox", options, optionNames)
  const scope = Scope.makeUnsafe()
  const context = Effect.runSync(
    Layer.buildWithScope(layerWith(options, Effect.succeed(undefined)), scope),
  )
  const inbox = Context.get(context, Service)
  const gateway = Context.get(context, Gateway)
  const mount = Effect.runSync(
    Effect.flatMap(Routes.make(options), (handler) =>
      // How long `dispose` waits for requests under way.
      Mount.make(handler, { shutdownTimeout: "1 second" }),
    ).pipe(Scope.provide(scope), Effect.provideContext(context)),
  )
  const waitForCode: Inbox["waitForCode"] = async (wanted) => {
    checkNames("waitForCode", wanted, names.waitForCode)
    const { after, phoneNumber, timeout } = wanted
    const read = phoneNumberOf("phoneNumber", phoneNumber)
    if (Result.isFailure(read)) throw new TypeError(read.failure)
    const { code } = await Effect.runPromise(
      inbox.waitForCode({ phoneNumber: read.success, timeout, after }),
    )
    return code
  }
  let disposing: Promise<void> | undefined
  const dispose = (): Promise<void> =>
    (disposing ??= Effect.runPromise(Effect.andThen(inbox.close, Scope.close(scope, Exit.void))))
  return {
    ...mount,
    gateways: { sms: gateway, whatsapp: gateway },
    messages: async (list = {}) => {
      checkNames("messages", list, names.messages)
      return Effect.runPromise(inbox.messages(list))
    },
    latestCode: (phoneNumber) => waitForCode({ phoneNumber, timeout: noTime }),
    waitForCode,
    report: async (report) => {
      checkNames("report", report, names.report)
      return Effect.runPromise(inbox.report(report))
    },
    deliver: (when) => Effect.runPromise(inbox.deliver(when)),
    clear: () => Effect.runPromise(inbox.clear),
    endStreams: () => Effect.runSync(inbox.close),
    dispose,
    [Symbol.asyncDispose]: dispose,
  }
}
