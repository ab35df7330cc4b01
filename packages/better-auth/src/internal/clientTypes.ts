import type { BetterAuthClientPlugin } from "better-auth/client"
import type { ErrorCodes } from "./errorCodes.ts"
import type { Idle, Purpose, WaitingAt } from "./protocol.ts"
import type { CountersignPlugin } from "./types.ts"

/** Why a call has failed. `code` is one of `docs/errors.md`, of better-auth, or `network`. */
export interface Problem {
  readonly code: string
  readonly message: string
  readonly retryAfterSeconds?: number | undefined
  readonly attemptsRemaining?: number | undefined
  readonly details?: unknown
}

/** The answer to a call. */
export type Answer<A> =
  | { readonly ok: true; readonly data: A }
  | { readonly ok: false; readonly problem: Problem }

/** The calls that `useVerification` of `@countersign/react` makes. */
export interface Fetcher {
  readonly start: (input: {
    /** Required. Optional here, because a login of `countersign/login` may choose it. */
    readonly phoneNumber?: string | undefined
    readonly channel?: string | undefined
    readonly locale?: string | undefined
  }) => Promise<Answer<WaitingAt<string>>>
  readonly resend: (input: {
    readonly channel?: string | undefined
  }) => Promise<Answer<WaitingAt<string>>>
  /** Signs in, or links the number for the purpose `link`, and renews the session of the page. */
  readonly check: (input: {
    readonly code: string
    readonly phoneNumber: string
  }) => Promise<Answer<unknown>>
  readonly cancel: () => Promise<Answer<Idle>>
  readonly state: () => Promise<Answer<WaitingAt<string> | Idle>>
}

/** The members of the client besides an action for each endpoint. */
export interface CountersignActions extends Record<string, unknown> {
  readonly countersign: {
    /** Returns the fetcher for `useVerification`. @defaultValue for the purpose `login` */
    readonly fetcher: (purpose?: Purpose) => Fetcher
  }
}

/** The client plugin. */
export interface CountersignClient {
  readonly id: "countersign"
  readonly $InferServerPlugin: CountersignPlugin
  readonly pathMethods: Record<string, "POST" | "GET">
  readonly atomListeners: NonNullable<BetterAuthClientPlugin["atomListeners"]>
  readonly getActions: (
    ...args: Parameters<NonNullable<BetterAuthClientPlugin["getActions"]>>
  ) => CountersignActions
  readonly $ERROR_CODES: ErrorCodes
}
