import type { OrganizationId } from "@countersign/core/domain/values/Ids"
import { Store } from "@countersign/core/ports/Store"
import * as Samples from "@countersign/testing/Samples"
import * as Effect from "effect/Effect"

/** The version of an organization's settings, which the engine has drawn. 0: there is no such organization. */
export const versionOf = (organization: OrganizationId = Samples.organizationId) =>
  Store.use((store) => Effect.map(store.organization(organization), (found) => found?.version ?? 0))
