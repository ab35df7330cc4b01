/** Who may call which endpoint of the admin API, and for which organization. */
import type { Access } from "@countersign/core/api/Operation"
import { OrganizationNotFound } from "@countersign/core/domain/errors/Errors"
import { Actor } from "@countersign/core/domain/values/Actor"
import { OrganizationId } from "@countersign/core/domain/values/Ids"
import { Organizations } from "@countersign/core/services/Organizations"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { HttpApiSchemaError } from "effect/http-api/HttpApiError"
import * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { Principal } from "../AdminOptions.ts"
import {
  Authorization,
  CurrentOrganization,
  CurrentPrincipal,
  EndpointAccess,
  OrganizationAccess,
} from "../Principal.ts"
import * as Refusals from "./errorResponses.ts"

const hasRole = (principal: Principal, { role }: Access): boolean =>
  // Each role includes `read`, and `admin` includes all.
  role === "read"
    ? principal.roles.length > 0
    : principal.roles.includes(role) || principal.roles.includes("admin")

/** A tenant has no access to another organization, and learns nothing about it. */
const isHidden = ({ organization }: Principal, asked: string | undefined): boolean =>
  organization !== undefined && asked !== undefined && asked !== organization

/** Refuses callers without the role of an endpoint, and names the actor of the others. */
export const layerAuthorization = Layer.succeed(
  Authorization,
  Authorization.of(
    Effect.fnUntraced(function* (answer, { endpoint }) {
      const principal = yield* CurrentPrincipal
      const { organization } = (yield* HttpRouter.RouteContext).params
      const needed = Option.getOrUndefined(Context.getOption(endpoint.annotations, EndpointAccess))
      if (needed === undefined) return Refusals.forbidden
      if (isHidden(principal, organization)) return Refusals.organizationNotFound
      const isTenant = principal.organization !== undefined
      if (!hasRole(principal, needed) || (needed.isOperatorOnly === true && isTenant)) {
        return Refusals.forbidden
      }
      const { id, origin = null } = principal.actor
      return yield* answer.pipe(
        Effect.catch((error) =>
          HttpApiSchemaError.is(error) ? Refusals.ofSchema(error) : Effect.fail(error),
        ),
        Effect.provideService(Actor, { id, origin }),
      )
    }),
  ),
)

/** An id that no organization can have is answered like an unknown one. */
const idOf = (text: string) =>
  Effect.try({ try: () => OrganizationId(text), catch: () => new OrganizationNotFound() })

/** Finds the organization of a path. */
export const layerOrganizationAccess = Layer.effect(
  OrganizationAccess,
  Effect.gen(function* () {
    const organizations = yield* Organizations
    return OrganizationAccess.of((answer) =>
      Effect.flatMap(HttpRouter.RouteContext, ({ params: { organization = "" } }) =>
        Effect.matchEffect(
          Effect.flatMap(idOf(organization), (id) => organizations.get({ id })),
          {
            onFailure: (error) => Effect.succeed(Refusals.ofError(error)),
            onSuccess: ({ id }) => Effect.provideService(answer, CurrentOrganization, id),
          },
        ),
      ),
    )
  }),
)
