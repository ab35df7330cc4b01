import type { Channel, Mount, OrganizationServices, TestClock } from "countersign"

/** An engine, or what its `organization(id)` returns: its balance, limits and senders apply. */
export interface Carrier {
  readonly messages: Pick<OrganizationServices["messages"], "prepare" | "dispatch" | "getQueued">
}

/** The options that all hooks share. */
export interface HookOptions {
  /** The channel of the messages. @defaultValue `"sms"` */
  readonly channel?: Channel | undefined
  /** A sender's id, an approved masking name, or a registered number. @defaultValue the channel's default */
  readonly sender?: string | undefined
  /** The clock of the engine, if it has one. */
  readonly clock?: Pick<TestClock, "now"> | undefined
}

/** The receiver of one server's requests, for your framework's mount. It answers `POST` at each path below it. */
export type Hook = Mount

/** The data for the text of a message. */
export interface CodeMessage {
  readonly code: string
  /** E.164 with its plus. */
  readonly phoneNumber: string
}

/** The data for the text of a message of Supabase. */
export interface SupabaseMessage extends CodeMessage {
  /** `true`: the code is a second factor. */
  readonly isMfa: boolean
  /** The id of the user. */
  readonly userId: string | undefined
}

/** The options of `supabaseSmsHook`. */
export interface SupabaseOptions extends HookOptions {
  /** The secrets of the Send SMS hook, as Supabase has them: `v1,whsec_…`, joined by `|`, or a list. All are accepted. */
  readonly secrets: string | ReadonlyArray<string> | undefined
  /** Returns the text of a message. Supabase's own template does not apply to hooks. */
  readonly text: (message: SupabaseMessage) => string
}

/** The data for the text of a message of Logto. */
export interface LogtoMessage extends Omit<CodeMessage, "code"> {
  /** `undefined`: the message has a link. */
  readonly code: string | undefined
  readonly link: string | undefined
  /** Such as `SignIn`, `Register` or `ForgotPassword`. */
  readonly type: string
  /** The language of the user, if Logto names it. */
  readonly locale: string | undefined
}

/** The options of `textSmsHook` and `kratosSmsHook`. */
export interface TokenOptions extends HookOptions {
  /** The header is `Bearer` and this token. Use 32 random characters or more. All of a list are accepted. */
  readonly token: string | ReadonlyArray<string> | undefined
}

/** The options of `logtoSmsHook`. */
export interface LogtoOptions extends TokenOptions {
  /** Returns the text of a message. Logto sends none. */
  readonly text: (message: LogtoMessage) => string
}

/** The options of `zitadelSmsHook`. */
export interface ZitadelOptions extends HookOptions {
  /** The signing keys of the SMS provider. All are accepted. */
  readonly signingKey: string | ReadonlyArray<string> | undefined
}

/** The data for the text of a message of SuperTokens. */
export interface SuperTokensMessage extends Omit<CodeMessage, "code"> {
  /** `undefined`: the flow has links only. */
  readonly code: string | undefined
  readonly link: string | undefined
  /** For how long both are valid, in milliseconds. */
  readonly codeLifetime: number
}

/** The options of `superTokensSms`. */
export interface SuperTokensOptions extends HookOptions {
  /** Returns the text of a message. */
  readonly text: (message: SuperTokensMessage) => string
}

/** The members of SuperTokens' input that are used. */
export interface SuperTokensInput {
  readonly phoneNumber: string
  readonly userInputCode?: string | undefined
  readonly urlWithLinkCode?: string | undefined
  readonly codeLifetime: number
  readonly preAuthSessionId: string
}

/** For `smsDelivery: { service }` of the recipe Passwordless. */
export interface SuperTokensService {
  /** Rejects with a `CountersignError` if the message cannot be sent. */
  readonly sendSms: (input: SuperTokensInput) => Promise<void>
}
