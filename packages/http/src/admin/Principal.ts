/** The access to the admin API: the middleware of its endpoints, and the values that it provides to their handlers. */
import type { Access } from "@countersign/core/domain/access/Roles"
import type { OrganizationId } from "@countersign/core/domain/values/Ids"
import * as Context from "effect/Context"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import { Failure } from "./internal/failures.ts"
import type { Principal } from "./AdminOptions.ts"

/** The principal that makes the request. @defaultValue a principal without roles */
export const CurrentPrincipal = Context.Reference<Principal>(
  "@countersign/http/admin/Principal/CurrentPrincipal",
  { defaultValue: () => ({ actor: { id: "unknown" }, roles: [] }) },
)

/** The address of the client. @defaultValue unknown */
export const CurrentAddress = Context.Reference<string | undefined>(
  "@countersign/http/admin/Principal/CurrentAddress",
  { defaultValue: () => undefined },
)

/** The access that an endpoint requires: an annotation of the endpoint. */
export class EndpointAccess extends Context.Service<EndpointAccess, Access>()(
  "@countersign/http/AdminAccess/EndpointAccess",
) {}

/** The organization in the path. It exists, and the principal may see it. */
export class CurrentOrganization extends Context.Service<CurrentOrganization, OrganizationId>()(
  "@countersign/http/admin/Principal/CurrentOrganization",
) {}

const failures = [400, 401, 402, 403, 404, 409, 410, 413, 415, 422, 429, 500, 502, 503].map(
  (status) => Failure.pipe(HttpApiSchema.status(status)),
)

/** Allows only principals with the rights of the endpoint. Invalid input is answered with its problems. */
export class Authorization extends HttpApiMiddleware.Service<Authorization>()(
  "@countersign/http/admin/Principal/Authorization",
  { error: failures },
) {}

/** Allows only principals who may see the organization in the path, and only if it exists. */
export class OrganizationAccess extends HttpApiMiddleware.Service<
  OrganizationAccess,
  { provides: CurrentOrganization }
>()("@countersign/http/admin/Principal/OrganizationAccess", { error: failures }) {}
