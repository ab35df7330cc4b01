import type { LoginOptions } from "@countersign/http/login/LoginOptions"
import * as WebRequest from "@countersign/http/mount/WebRequest"
import type { IncomingMessage } from "node:http"
import { ConfigurationError } from "../errors/errors.ts"
import type { Mount } from "../types/countersign.ts"
import type { OrganizationServices } from "../types/services.ts"
import { makeLogin } from "./login.ts"
import { loginKey, type Make } from "./loginKey.ts"

const isMake = (value: unknown): value is Make => typeof value === "function"

/**
 * Makes the endpoints of a login by phone, which hosts mount like the engine: `POST /start`, `/resend`, `/check` and
 * `/cancel`, `GET /state`. `countersign` is the engine, or `countersign.organization(id)`. Throws `ConfigurationError`
 * for options that cannot be used.
 *
 * @example
 * ```ts
 * const login = createLogin(countersign, {
 *   onVerified: async ({ phoneNumber }) => Response.json({ signedIn: phoneNumber }),
 * })
 * app.use("/login", countersignExpress(login))
 * ```
 */
export const createLogin = (countersign: OrganizationServices, options: LoginOptions): Mount => {
  const make: unknown = Object(countersign)[loginKey]
  if (isMake(make)) return make(options, makeLogin)
  throw new ConfigurationError(
    "createLogin: the first argument must be what createCountersign resolves with, or its organization(id)",
  )
}

const isOfNode = (source: unknown): source is IncomingMessage =>
  typeof source === "object" && source !== null && !(source instanceof Request)

/**
 * The request of `node:http` behind the `request` of `onVerified` and `onStart`, such as one with the session of
 * Express. Throws a `TypeError` on other servers, which pass their own web `Request`.
 */
export const incomingMessageOf = (request: Request): IncomingMessage => {
  const source = WebRequest.sourceOf(request)
  if (isOfNode(source)) return source
  throw new TypeError("incomingMessageOf: the request does not come from a server of node:http")
}
