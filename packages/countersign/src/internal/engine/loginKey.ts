import type { LoginOptions } from "@countersign/http/login/LoginOptions"
import type { Mount } from "../types/countersign.ts"
import type { Scope } from "../services/promises.ts"

/** Makes the logins of an organization. */
export type LoginOf = (organization: Scope["organization"]) => (options: LoginOptions) => Mount

/** Where the services of an organization keep how its logins are made. The same in every copy of this package. */
export const loginKey = Symbol.for("countersign/login")
