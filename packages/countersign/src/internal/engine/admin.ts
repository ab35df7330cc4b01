/** The admin API and its pages. Loaded when the host mounts it. */
import * as Admin from "@countersign/http/Admin"
import type { AdminOptions } from "@countersign/http/AdminOptions"
import * as Mount from "@countersign/node/Mount"
import type * as Engine from "@countersign/core/services/Engine"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

export const make = (
  options: AdminOptions,
  graceMillis: number | undefined,
): Effect.Effect<Mount.Mount, never, Engine.Engine | Scope.Scope> =>
  Effect.flatMap(Admin.make(options), (handler) => Mount.make(handler, { graceMillis }))
