/**
 * The client of the plugin, for browsers. It loads nothing of the engine.
 *
 * @example
 * ```ts
 * const authClient = createAuthClient({ plugins: [countersignClient()] })
 * await authClient.countersign.start({ phoneNumber })
 * ```
 */
import { errorCodes } from "./internal/errorCodes.ts"
import { fetcherOf } from "./internal/fetcher.ts"
import type { CountersignClient } from "./internal/clientTypes.ts"
import type { Purpose } from "./internal/protocol.ts"
import type { CountersignPlugin } from "./internal/types.ts"

export type * from "./internal/clientTypes.ts"
export type { ErrorCode, ErrorCodes } from "./internal/errorCodes.ts"
export type * from "./internal/protocol.ts"

const post = [
  "/countersign/start",
  "/countersign/resend",
  "/countersign/check",
  "/countersign/link",
  "/countersign/cancel",
]

class Client implements CountersignClient {
  /** Only a type: better-auth infers the actions from it. */
  declare readonly $InferServerPlugin: CountersignPlugin
  readonly id = "countersign"
  readonly pathMethods = Object.fromEntries(post.map((path) => [path, "POST" as const]))
  readonly atomListeners: CountersignClient["atomListeners"] = [
    {
      matcher: (path) => path === "/countersign/check" || path === "/countersign/link",
      signal: "$sessionSignal",
    },
  ]
  readonly $ERROR_CODES = errorCodes

  readonly getActions: CountersignClient["getActions"] = ($fetch, $store) => {
    // The same object for each call, so that components can compare it.
    const fetchers = {
      login: fetcherOf($fetch, $store, "login"),
      link: fetcherOf($fetch, $store, "link"),
    }
    return { countersign: { fetcher: (purpose: Purpose = "login") => fetchers[purpose] } }
  }
}

/** The client plugin for `createAuthClient`. */
export const countersignClient = (): CountersignClient => new Client()
