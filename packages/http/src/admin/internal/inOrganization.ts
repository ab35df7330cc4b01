import type { EngineError } from "@countersign/core/domain/errors/EngineError"
import type { OrganizationId } from "@countersign/core/domain/values/Ids"
import * as Effect from "effect/Effect"
import { CurrentOrganization } from "../Principal.ts"
import { answering } from "./errorResponses.ts"

/** Calls the engine for the organization in the path. Its errors become responses. */
export const inOrganization = <A, R>(
  call: (organization: OrganizationId) => Effect.Effect<A, EngineError, R>,
) => answering(Effect.flatMap(CurrentOrganization, call))
