import type { LoginOptions } from "@countersign/http/login/LoginOptions"
import type { Scope } from "../services/promises.ts"
import type { Mount } from "../types/countersign.ts"
import type { makeLogin } from "./login.ts"

/** Makes a login. The module of `makeLogin` is loaded by those who have a login, and not by the engine. */
export type Make = (options: LoginOptions, make: typeof makeLogin) => Mount

/** Makes the logins of an organization. */
export type LoginOf = (organization: Scope["organization"]) => Make

/** Where the services of an organization keep how its logins are made. The same in every copy of this package. */
export const loginKey = Symbol.for("countersign/login")
