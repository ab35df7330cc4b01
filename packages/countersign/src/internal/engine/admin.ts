/** The admin API and its pages. Loaded when the host mounts it. */
import type { Duration } from "@countersign/core/domain/values/DurationText"
import * as Admin from "@countersign/http/admin/Admin"
import * as Mount from "@countersign/node/Mount"
import type * as Engine from "@countersign/core/Engine"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

export const make = (
  options: Admin.MountOptions,
  shutdownTimeout: Duration | undefined,
): Effect.Effect<Mount.Mount, never, Engine.Engine | Scope.Scope> =>
  Effect.flatMap(Admin.make(options), (handler) => Mount.make(handler, { shutdownTimeout }))
