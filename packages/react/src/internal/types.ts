/** The login protocol, as a page sees it. */

export type Channel = "sms" | "whatsapp"

/** A code is on its way, or may be. The times are ISO texts of the server's clock. */
export interface Waiting {
  readonly status: "waiting"
  /** E.164 with its plus. */
  readonly phoneNumber: string
  readonly channel: Channel
  /** Number of digits. */
  readonly codeLength: number
  readonly expiresAt: string
  /** When `resend` is allowed; `null`: never. */
  readonly resendAt: string | null
  readonly resendsRemaining: number
  readonly attemptsRemaining: number
  /** The time of the server, so that a device with a wrong clock counts down correctly. */
  readonly now: string
}

/** No code is awaited. */
export interface Idle {
  readonly status: "idle"
}

/** Why the server, or the way to it, refused a call. */
export interface Problem {
  /** A code of the protocol, such as `wrong_code`; `network` if no answer came. */
  readonly code: string
  /** An English sentence, for developers. */
  readonly message: string
  readonly retryAfterSeconds?: number | undefined
  /** Only of `wrong_code`. */
  readonly attemptsRemaining?: number | undefined
  /** Only of `invalid_request`: the problems of each field, by its name. */
  readonly details?: unknown
}

/** The result of a call: its data, or a problem. */
export type Answer<A> =
  | { readonly ok: true; readonly data: A }
  | { readonly ok: false; readonly problem: Problem }

/** The input of `start`: the recipient of the code, and how to send it. */
export interface StartInput {
  /** As the user typed it: the server reads it with the `country` of the login. Required unless the host chooses it. */
  readonly phoneNumber?: string | undefined
  readonly channel?: Channel | undefined
  /** The locale of the message, such as `bn-bd`. @defaultValue the default of the server */
  readonly locale?: string | undefined
}

export interface ResendInput {
  /** @defaultValue the channel of the first message */
  readonly channel?: Channel | undefined
}

/** The code that the user typed, and the number that the page shows beside it. */
export interface CheckInput {
  readonly code: string
  readonly phoneNumber: string
}

/** Makes the calls of the login protocol. A promise never rejects: each failure is a problem. */
export interface Fetcher {
  readonly start: (input: StartInput) => Promise<Answer<Waiting>>
  readonly resend: (input: ResendInput) => Promise<Answer<Waiting>>
  /** The data is the answer of the host's `onVerified`. */
  readonly check: (input: CheckInput) => Promise<Answer<unknown>>
  readonly cancel: () => Promise<Answer<Idle>>
  readonly state: () => Promise<Answer<Waiting | Idle>>
}
