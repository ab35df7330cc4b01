/** The settings of a host for the admin API: who may use it, and the pages beside it. Has no type of Effect. */

import type { Role } from "@countersign/core/domain/access/Roles"

export type { Role }

/** Keeps the sessions of a login in the engine's database, so that they end on every node. */
export interface LoginSessions {
  /** Begins a session of 12 hours and returns its token, for a cookie. Of the address only the network is stored. */
  readonly begin: (session: {
    /** The name of the login, such as the name of its cookie. Sessions of one login are listed and ended together. */
    readonly login: string
    /** The address of the client. Only its network is stored. @defaultValue unknown */
    readonly address?: string | undefined
    /** The `User-Agent` of the browser. */
    readonly agent?: string | undefined
    /** The person who has signed in. @defaultValue unknown, as with a password */
    readonly person?: Person | undefined
  }) => Promise<string>
  /** Returns the session of a token; `undefined` if it has ended. */
  readonly find: (token: SessionToken) => Promise<LoginSession | undefined>
  /** Ends the session of a token. */
  readonly end: (token: SessionToken) => Promise<void>
}

export interface SessionToken {
  /** The `login` that the session began with. */
  readonly login: string
  /** The token that `begin` has returned. */
  readonly token: string
}

/** A session that `LoginSessions` keeps. */
export interface LoginSession {
  /** The id of the session, which is not its token. */
  readonly id: string
  /** The `login` that the session began with. */
  readonly login: string
  /** The person that the session began with; `null` without one. @defaultValue `null` */
  readonly person?: Person | null | undefined
}

/** A person who has signed in, with the data of the provider at that time. */
export interface Person {
  /** The provider's own id of the person. */
  readonly id: string
  /** The name of the person. */
  readonly name: string
  /** The roles of the person. */
  readonly roles: ReadonlyArray<Role>
  /** The only organizations that the person sees; `null`: all of them. */
  readonly organizations: ReadonlyArray<string> | null
}

/** The data of a mount about a request besides the request itself. */
export interface AuthorizeContext {
  /** The path below the mount, which begins with `/`, without the query. */
  readonly path: string
  /** The address of the client, past `trustedProxies`. `undefined`: the mount does not know it. */
  readonly clientAddress: string | undefined
  /** Keeps the sessions of a login in the engine's database. */
  readonly sessions: LoginSessions
}

/** The caller of a request: its actor and its rights. */
export interface Principal {
  /** The audit names it. */
  readonly actor: {
    /** Your own id of the person or the program. */
    readonly id: string
    /** The name of the actor, which the pages show. @defaultValue the id */
    readonly name?: string | undefined
    /** Where the actor is, such as an address. @defaultValue unknown */
    readonly origin?: string | undefined
  }
  /** At least one: `operator`, `support`, `billing` or `viewer`, or `tenant` with `organizations`. */
  readonly roles: ReadonlyArray<Role>
  /** The only organizations that the person sees. Required with `tenant`. `undefined`: all of them. */
  readonly organizations?: ReadonlyArray<string> | undefined
  /** The session that `sessions.find` has returned. The pages then list the sessions of its login, and end them. */
  readonly session?: LoginSession | undefined
}

/** The answer to a request for a page. */
export interface PageFile {
  /** The HTTP status. */
  readonly status: number
  /** The headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The contents of the file. */
  readonly body: Uint8Array<ArrayBuffer> | string
}

/** The files of a dashboard. */
export interface Pages {
  /** Returns the file at a path below the mount, which starts with `/`. `undefined`: the answer is 404. */
  readonly file: (path: string, acceptEncoding: string) => Promise<PageFile | undefined>
  /** Whether the path is served before `authorize` is called: assets, which contain no data. */
  readonly isPublic: (path: string) => boolean
}

/** Decides who makes a request. */
export type Authorize = (
  request: Request,
  source: unknown,
  context: AuthorizeContext,
) => Principal | Response | undefined | Promise<Principal | Response | undefined>

/** How people sign in with a provider, by OpenID Connect. */
export interface SignInOptions {
  /** The provider's issuer, such as `https://login.example.com/realms/ops`. */
  readonly issuer: string | undefined
  /** The id of this client at the provider. */
  readonly clientId: string | undefined
  /** The secret of this client at the provider. */
  readonly clientSecret: string | undefined
  /** The address of the mount as browsers see it, such as `https://ops.example.com/dashboard`. */
  readonly url: string | undefined
  /** The role for each value of `roleClaim`, such as `{ "sms-operators": "operator" }`. */
  readonly roles: Readonly<Record<string, Role>>
  /** The claim with a person's roles: a name, or a path such as `realm_access.roles`. @defaultValue `roles` */
  readonly roleClaim?: string | undefined
  /** The claim with the organizations of a person. The role `tenant` requires it. @defaultValue `organizations` */
  readonly organizationClaim?: string | undefined
  /** The scopes to ask for. @defaultValue `openid profile email` */
  readonly scope?: string | undefined
  /** The name of the provider, for its button. @defaultValue the host of `issuer` */
  readonly providerName?: string | undefined
}

export interface AdminOptions {
  /**
   * Decides who makes a request. Required without `signIn`. `source` is the request of the mount: an `IncomingMessage`
   * of Node, or the web `Request`. `context` has the address of the client and a store for sessions. A `Response`, such
   * as a redirect to your login, is sent as it is. `undefined` is answered with 401. The request has no body, except
   * the body of a form that a page outside of the API has sent.
   */
  readonly authorize?: Authorize | undefined
  /** Lets people sign in with your provider, by OpenID Connect, instead of `authorize`. @defaultValue none */
  readonly signIn?: SignInOptions | undefined
  /** Pages beside the API, such as the pages of `@countersign/dashboard`. @defaultValue the API only */
  readonly pages?: Pages | undefined
  /**
   * Addresses and CIDR blocks of your own proxies, whose `X-Forwarded-For` is trusted.
   * @defaultValue `http.trustedProxies` with `createCountersign`, and none with Effect
   */
  readonly trustedProxies?: ReadonlyArray<string> | undefined
  /** The base path if the mount does not give one. @defaultValue `/admin` */
  readonly basePath?: string | undefined
  /**
   * The values of the header `Host` that are answered, such as `example.com` or `localhost:3000`. Other requests get
   * 421. @defaultValue any host
   */
  readonly hosts?: ReadonlyArray<string> | undefined
  /**
   * Maximum number of event streams at the same time. A tenant may have a tenth of them, and at least 1.
   * @defaultValue 100
   */
  readonly maxStreams?: number | undefined
  /** Whether the pages are for production, without help for development. @defaultValue `true` */
  readonly isProduction?: boolean | undefined
  /** The address of the inbox of `@countersign/inbox`, for the pages. @defaultValue none */
  readonly inboxUrl?: string | undefined
}
