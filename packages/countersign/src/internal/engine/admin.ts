/** The admin API and its pages. Loaded when the host mounts it. */
import * as Admin from "@countersign/http/Admin"
import type { AdminOptions } from "@countersign/http/AdminOptions"
import type * as Engine from "@countersign/core/services/Engine"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Mount } from "../types/countersign.ts"
import { mounted } from "./mounted.ts"

export const make = (
  options: AdminOptions,
  graceMillis: number | undefined,
): Effect.Effect<Omit<Mount, "dispose">, never, Engine.Engine | Scope.Scope> =>
  Effect.flatMap(Admin.make(options), (handler) => mounted(handler, { graceMillis }))
