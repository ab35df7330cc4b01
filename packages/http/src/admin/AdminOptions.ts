/** What a host sets for the admin API: who may use it, and the pages beside it. Has no type of Effect. */

/** Each role includes `read`, and `admin` includes all. */
export const roles = ["read", "support", "finance", "admin"] as const

export type Role = (typeof roles)[number]

/** What a login needs to keep its sessions in the engine's database, so that they end on every node. */
export interface LoginSessions {
  /** Begins a session of 12 hours and returns its token, for a cookie. Of the address only the network is stored. */
  readonly begin: (session: {
    /** What is signed in to, such as the name of the cookie. Sessions of one login are listed and ended together. */
    readonly login: string
    /** The address of the client. Only its network is stored. @defaultValue unknown */
    readonly address?: string | undefined
    /** The `User-Agent` of the browser. */
    readonly agent?: string | undefined
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
}

/** What the mount knows of a request besides the request. */
export interface AuthorizeContext {
  /** The address of the client, past `trustedProxies`. `undefined`: the mount does not know it. */
  readonly clientAddress: string | undefined
  /** Keeps the sessions of a login in the engine's database. */
  readonly sessions: LoginSessions
}

/** Who makes a request. */
export interface Principal {
  /** The audit names it. */
  readonly actor: {
    /** Your own id of the person or the program. */
    readonly id: string
    /** Where the actor is, such as an address. @defaultValue unknown */
    readonly origin?: string | undefined
  }
  /** At least one. */
  readonly roles: ReadonlyArray<Role>
  /** A tenant sees this organization only. `undefined`: an operator, who sees all. */
  readonly organization?: string | undefined
  /** What `sessions.find` has returned. The pages then list the sessions of its login, and end them. */
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

export interface AdminOptions {
  /**
   * Decides who makes a request. Required. `source` is the request of the mount: an `IncomingMessage` of Node, or the
   * web `Request`; `context` has the address of the client and a store for sessions. A `Response`, such as a redirect to your login, is sent as it is. `undefined` is answered with 401.
   * The request has no body, except that of a form that a page outside of the API has sent.
   */
  readonly authorize: (
    request: Request,
    source: unknown,
    context: AuthorizeContext,
  ) => Principal | Response | undefined | Promise<Principal | Response | undefined>
  /** Pages beside the API, such as those of `@countersign/dashboard`. @defaultValue the API only */
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
