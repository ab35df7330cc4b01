import type { OrganizationId } from "@countersign/core/domain/Ids"
import type { Audit } from "@countersign/core/services/Audit"

const maxTarget = 200

/** What a request names, as the audit can keep it. The engine refuses what is not valid with the caller's own field. */
const storable = (text: string): string | undefined => {
  const kept = Array.from(text.replace(/\p{C}+/gu, " ")).slice(0, maxTarget)
  return kept.length === 0 ? undefined : kept.join("")
}

/**
 * Records a call that cannot be undone. Runs before the call, so that a failing audit refuses it: the other way round,
 * a message that was sent would be answered with an error, and sent again.
 */
export const recordFirst = (
  audit: Audit["Service"],
  organization: OrganizationId,
  action: string,
  target: string,
) => audit.record({ organization, action, target: storable(target) })
