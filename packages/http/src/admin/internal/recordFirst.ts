import type { OrganizationId } from "@countersign/core/domain/values/Ids"
import type { EngineError } from "@countersign/core/domain/errors/EngineError"
import type { Audit } from "@countersign/core/services/Audit"
import * as Effect from "effect/Effect"
import { inOrganization } from "./inOrganization.ts"

const maxTarget = 200

/** What a request names, as the audit can keep it. The engine refuses what is not valid with the caller's own field. */
const storable = (text: string): string | undefined => {
  const kept = Array.from(text.replace(/\p{C}+/gu, " ")).slice(0, maxTarget)
  return kept.length === 0 ? undefined : kept.join("")
}

/**
 * Calls the engine for the organization in the path, and records the call before it, so that a failing audit refuses
 * it. The other way round, a message that was sent would be answered with an error, and sent again.
 */
export const recordFirst = <A, R>(
  audit: Audit["Service"],
  action: string,
  target: string,
  call: (organization: OrganizationId) => Effect.Effect<A, EngineError, R>,
) =>
  inOrganization((organization) =>
    Effect.flatMap(audit.record({ organization, action, target: storable(target) }), () =>
      call(organization),
    ),
  )
