import type {
  BetterAuthPlugin,
  GenericEndpointContext,
  StandardSchemaV1,
  StrictEndpoint,
} from "better-auth"
import type { Countersign, Duration, TestClock } from "countersign"
import type { ErrorCodes } from "./errorCodes.ts"
import type {
  CheckInput,
  Idle,
  Linked,
  PurposeInput,
  ResendInput,
  SignedIn,
  StartInput,
  Waiting,
} from "./protocol.ts"

/** An engine, or the services of one of its organizations. */
export type Engine = Pick<Countersign, "verifications">

/** The options of both adapters. */
export interface CommonOptions {
  /** The country for numbers in national form, ISO 3166 alpha-2. @defaultValue only E.164 is read */
  readonly country?: string | undefined
  /**
   * Your name for the visitor, for the limits per client, from the headers of the request. @defaultValue the address
   * that better-auth finds with its option `advanced.ipAddress`
   */
  readonly client?: ((headers: Headers) => string | undefined) | undefined
}

/** The fields of a new user besides the number: `email`, `name`, and fields of your own. */
export interface NewUser extends Readonly<Record<string, unknown>> {
  readonly email: string
  readonly name: string
}

/** The options of the plugin. */
export interface CountersignOptions extends CommonOptions {
  /** Whether an unknown number becomes a user. @defaultValue `true` */
  readonly signUp?: boolean | undefined
  /**
   * The fields of a user who signs up. better-auth requires an address. One that contains the phone number can be
   * registered by a stranger, and blocks the next owner of the number. @defaultValue a random address below
   * `phone.invalid`, which receives no mail, and an empty name
   */
  readonly newUser?: ((phoneNumber: string) => NewUser | Promise<NewUser>) | undefined
  /** Number of digits, 4 to 10. @defaultValue 6 */
  readonly codeLength?: number | undefined
  /** How long a code is valid. @defaultValue `"5 minutes"` */
  readonly expiresIn?: Duration | undefined
  /** better-auth's limit of each path for an address, in seconds. @defaultValue 10 calls in 60 seconds */
  readonly rateLimit?: { readonly window: number; readonly max: number } | undefined
  /** The clock of the engine, in tests. @defaultValue the clock of the system */
  readonly clock?: Pick<TestClock, "now"> | undefined
}

type Post<Path extends string, Body, Answer> = StrictEndpoint<
  Path,
  { method: "POST"; body: StandardSchemaV1<Body> },
  Answer
>

type Get<Path extends string, Query, Answer> = StrictEndpoint<
  Path,
  { method: "GET"; query: StandardSchemaV1<Query> },
  Answer
>

/** The endpoints by their names in `auth.api`. A type, because better-auth has an index signature here. */
export type CountersignEndpoints = {
  /** Sends a code. The same number again sends the same code again. */
  readonly countersignStart: Post<"/countersign/start", StartInput, Waiting>
  /** Sends the code again. */
  readonly countersignResend: Post<"/countersign/resend", ResendInput, Waiting>
  /** Signs the number in, or up. */
  readonly countersignCheck: Post<"/countersign/check", CheckInput, SignedIn>
  /** Gives the number to the user who is signed in. */
  readonly countersignLink: Post<"/countersign/link", CheckInput, Linked>
  /** Ends the request of this browser. */
  readonly countersignCancel: Post<"/countersign/cancel", PurposeInput | undefined, Idle>
  /** Tells what this browser waits for, also after a reload. */
  readonly countersignState: Get<"/countersign/state", PurposeInput | undefined, Waiting | Idle>
}

/** The columns of a user. Requests cannot set them. A type for the same reason. */
export type CountersignSchema = {
  user: {
    fields: {
      phoneNumber: {
        type: "string"
        required: false
        unique: true
        sortable: true
        returned: true
        input: false
      }
      phoneNumberVerified: { type: "boolean"; required: false; returned: true; input: false }
    }
  }
}

/** The plugin. */
export interface CountersignPlugin {
  id: "countersign"
  endpoints: CountersignEndpoints
  schema: CountersignSchema
  rateLimit: NonNullable<BetterAuthPlugin["rateLimit"]>
  $ERROR_CODES: ErrorCodes
}

/** The data that better-auth passes to its callbacks. */
export interface PhoneNumberCode {
  readonly phoneNumber: string
  readonly code: string
}

/** Options of better-auth's plugin `phoneNumber`. */
export interface PhoneNumberCallbacks {
  /** Refuses numbers that are not in E.164 form, because better-auth finds users by the text. */
  readonly phoneNumberValidator: (phoneNumber: string) => boolean
  /** Sends a code of Countersign, and the same code again while it can be entered. */
  readonly sendOTP: (data: PhoneNumberCode, ctx?: GenericEndpointContext) => Promise<void>
  /** Resolves with `true` for the right code, and once. Rejects with an `APIError`. */
  readonly verifyOTP: (data: PhoneNumberCode, ctx?: GenericEndpointContext) => Promise<boolean>
  /** Sends a code that only resets the password. Needs better-auth 1.7.8. Errors are logged, not answered. */
  readonly sendPasswordResetOTP: (
    data: PhoneNumberCode,
    ctx?: GenericEndpointContext,
  ) => Promise<void>
}
