/**
 * The inputs and the answers of the plugin's endpoints. The client and the server share these types. Inputs are not
 * interfaces, because better-auth infers the input of an action from a type with an index signature.
 */

/** The purpose of a verification: to sign in, or to add the number to the user who is signed in. */
export type Purpose = "login" | "link"

/** A number to send a code to. */
export type StartInput = {
  /** As the user typed it: E.164, or in national form with the option `country`. */
  readonly phoneNumber: string
  /** `sms` or `whatsapp`. @defaultValue the default of the engine */
  readonly channel?: string | undefined
  /** A locale of the engine's texts. @defaultValue the default locale of the texts */
  readonly locale?: string | undefined
  /** `link` needs a session. @defaultValue `"login"` */
  readonly purpose?: Purpose | undefined
}

/** A code to send again. */
export type ResendInput = {
  /** `sms` or `whatsapp`. @defaultValue the channel of the last message */
  readonly channel?: string | undefined
  /** @defaultValue `"login"` */
  readonly purpose?: Purpose | undefined
}

/** A code that the user typed. */
export type CheckInput = {
  readonly code: string
  /** The number that the page shows. If another tab has begun with another number, `number_changed`. */
  readonly phoneNumber?: string | undefined
}

/** Selects one of the requests of this browser. */
export type PurposeInput = {
  /** @defaultValue `"login"` */
  readonly purpose?: Purpose | undefined
}

/** Times are dates on the server and in the actions of the client, and ISO 8601 text in between. */
export interface WaitingAt<Time> {
  readonly status: "waiting"
  /** E.164 with its plus. */
  readonly phoneNumber: string
  readonly channel: "sms" | "whatsapp"
  readonly codeLength: number
  readonly expiresAt: Time
  /** The earliest time at which the code can be sent again; `null` if it cannot. */
  readonly resendAt: Time | null
  readonly resendsRemaining: number
  readonly attemptsRemaining: number
  /** The time of the server, so that a browser with a wrong clock counts down correctly. */
  readonly now: Time
}

/** A code was sent, and not entered yet. */
export type Waiting = WaitingAt<Date>

/** This browser waits for no code. */
export interface Idle {
  readonly status: "idle"
}

/** A user as the endpoints answer it. */
export interface PhoneUser {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly emailVerified: boolean
  readonly image?: string | null | undefined
  readonly createdAt: Date
  readonly updatedAt: Date
  /** E.164 with its plus. */
  readonly phoneNumber?: string | null | undefined
  readonly phoneNumberVerified?: boolean | null | undefined
}

/** The user who is signed in, and the token of the session. */
export interface SignedIn {
  readonly token: string
  readonly user: PhoneUser
}

/** The user who has a number now. */
export interface Linked {
  readonly user: PhoneUser
}
