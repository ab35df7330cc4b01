/** The caller of an operation, and the errors of all calls. */
import type * as Effect from "effect/Effect"
import type * as Errors from "../domain/errors/Errors.ts"
import type * as Fields from "../domain/values/FieldReaders.ts"
import type { ApiKeyId, OrganizationId } from "../domain/values/Ids.ts"
import type { ApiKeyScope } from "../domain/access/ApiKeyScope.ts"

/** Identifies a caller. Code inside the host needs only `organization`. */
export interface Caller {
  readonly organization: OrganizationId
  /** The key that must be valid at the moment of the commit. */
  readonly apiKeyId?: ApiKeyId | undefined
  /** The scope of the operation. A key that has scopes must have this one. */
  readonly scope?: ApiKeyScope | undefined
  /** The address that must be allowed, if the organization restricts addresses. */
  readonly address?: string | undefined
}

/** The input of a caller. A field can be the problem for which it could not be read; the call fails with it. */
export type Parsed<A extends Caller> = Caller & Fields.Parsed<Omit<A, keyof Caller>>

export type AccessError =
  | Errors.OrganizationNotFound
  | Errors.Unauthorized
  | Errors.InsufficientScope
  | Errors.AddressNotAllowed
  | Errors.StoreUnavailable

/** The result of an operation of the host on one organization. */
export type HostEffect<A, E = never> = Effect.Effect<
  A,
  E | Errors.OrganizationNotFound | Errors.StoreUnavailable
>
