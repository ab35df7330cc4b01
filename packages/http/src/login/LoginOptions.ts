/** The settings of a host for the login, and the values that the login passes to the host. Has no type of Effect. */
import type { Metadata } from "@countersign/core/api/types/verifications"
import type { Channel } from "@countersign/core/domain/values/Channel"
import type { Payment } from "@countersign/core/domain/verifications/Payment"

/** A phone number whose code was right. Its request is used up. */
export interface VerifiedLogin {
  /** The number to sign in, E.164 with its plus. Trust no other. */
  readonly phoneNumber: string
  /** The purpose of the login. */
  readonly purpose: string
  /** The metadata that `onStart` has chosen; `null` if it has chosen nothing. */
  readonly metadata: Metadata | null
}

/** The input of a browser: fields of the request body. */
export interface LoginInput {
  /** The number of the body, E.164 with its plus; `undefined` if the body has none. */
  readonly phoneNumber: string | undefined
  /** The channel of the body. */
  readonly channel: Channel | undefined
  /** The locale of the body. */
  readonly locale: string | undefined
}

/** The values that the host chooses instead of the browser. */
export interface LoginChoice {
  /** The number that gets the code, E.164 with its plus. @defaultValue the number of the body */
  readonly phoneNumber?: string | undefined
  /** The payment that the code approves. Its amount and payee are in the text. */
  readonly payment?: Payment | undefined
  /** For `onVerified`. At most 1,024 bytes as JSON. */
  readonly metadata?: Metadata | undefined
  /** The locale of the text. @defaultValue the locale of the body */
  readonly locale?: string | undefined
}

/** The settings of a login that need neither promises nor Effect. */
export interface LoginSettings {
  /**
   * The purpose of the verification: a-z, 0-9, `_`, `.` and `-`, at most 32 characters. A code for one purpose does
   * nothing for another, and each has a cookie of its own. @defaultValue `"login"`
   */
  readonly purpose?: string | undefined
  /** The country of numbers without a country code, ISO 3166 alpha-2. @defaultValue such numbers are refused */
  readonly country?: string | undefined
  /**
   * Origins of pages that may use the login besides its own origin, such as `https://app.example.com`. They
   * must be of the same site, because the cookie is `SameSite=Lax`. @defaultValue none
   */
  readonly origins?: ReadonlyArray<string> | undefined
  /** The base path if the mount does not give one. @defaultValue `/login` */
  readonly basePath?: string | undefined
  /**
   * Addresses and CIDR blocks of your own proxies, whose `X-Forwarded-For` is trusted.
   * @defaultValue `http.trustedProxies` with `createCountersign`, and none with Effect
   */
  readonly trustedProxies?: ReadonlyArray<string> | undefined
}

export interface LoginOptions extends LoginSettings {
  /**
   * Signs the number in. Runs once for each verified request, and its answer is sent: a session cookie, JSON, a
   * redirect. Required.
   */
  readonly onVerified: (verified: VerifiedLogin, request: Request) => Response | Promise<Response>
  /**
   * Chooses what the browser must not: the number of the user who is signed in, the amount and payee of a payment. A
   * `Response` refuses. It must not answer differently by whether a number has an account.
   * @defaultValue chooses nothing
   */
  readonly onStart?:
    | ((
        input: LoginInput,
        request: Request,
      ) => LoginChoice | Response | undefined | Promise<LoginChoice | Response | undefined>)
    | undefined
  /**
   * Your name for the visitor, for the limits of each client: 1 to 128 characters. `undefined`: none.
   * @defaultValue the address of the client, and of IPv6 its network of 64 bits
   */
  readonly client?: ((request: Request) => string | undefined) | undefined
}
