import type * as Effect from "effect/Effect"
import type { Commits, CommitError } from "../../engine/Commits.ts"
import type { OwnResult } from "../../decide/Command.ts"
import type { RequestId } from "../../domain/values/Ids.ts"
import type { Organization } from "../../domain/organizations/Organization.ts"

/**
 * Maximum number of requests of strangers that one request cancels. One is enough, unless a stranger takes the
 * place before it is used.
 */
export const maxDisplaced = 3

/** Cancels a stranger's request, so that a client that has verified the number gets its place. */
export const displace = (
  commits: Commits["Service"],
  { id: organization, version }: Pick<Organization, "id" | "version">,
  requestId: RequestId,
): Effect.Effect<OwnResult<"CancelVerification">, CommitError> =>
  commits.run({ _tag: "CancelVerification", organization, version, requestId })
