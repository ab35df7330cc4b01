/** Decides who may call which endpoint of the admin API, and for which organization. */
import { allows, sees } from "@countersign/core/domain/access/Roles"
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
import { accesses } from "../AdminApi.ts"
import {
  Authorization,
  CurrentOrganization,
  CurrentPrincipal,
  EndpointAccess,
  OrganizationAccess,
} from "../Principal.ts"
import * as Refusals from "./errorResponses.ts"

/** The names of the endpoints that a principal may call. */
export const operationsOf = (principal: Principal): ReadonlyArray<string> =>
  accesses.filter(([, access]) => allows(principal, access)).map(([name]) => name)

/** Refuses callers whose roles do not include an endpoint, and names the actor of the others. */
export const layerAuthorization = Layer.succeed(
  Authorization,
  Authorization.of(
    Effect.fnUntraced(function* (answer, { endpoint }) {
      const principal = yield* CurrentPrincipal
      const { organization } = (yield* HttpRouter.RouteContext).params
      const needed = Option.getOrUndefined(Context.getOption(endpoint.annotations, EndpointAccess))
      if (needed === undefined) return Refusals.forbidden
      // A tenant learns nothing about another organization.
      if (organization !== undefined && !sees(principal, organization)) {
        return Refusals.organizationNotFound
      }
      if (!allows(principal, needed)) return Refusals.forbidden
      const { id, name, origin = null } = principal.actor
      return yield* answer.pipe(
        Effect.catch((error) =>
          HttpApiSchemaError.is(error) ? Refusals.ofSchema(error) : Effect.fail(error),
        ),
        Effect.provideService(Actor, { id, name, origin }),
      )
    }),
  ),
)

/** The id of an organization. One that no organization can have is like an unknown one. */
export const organizationId = (text: string) =>
  Effect.try({ try: () => OrganizationId(text), catch: () => new OrganizationNotFound() })

/** Finds the organization of a path. */
export const layerOrganizationAccess = Layer.effect(
  OrganizationAccess,
  Effect.gen(function* () {
    const organizations = yield* Organizations
    return OrganizationAccess.of((answer) =>
      Effect.flatMap(HttpRouter.RouteContext, ({ params: { organization = "" } }) =>
        Effect.matchEffect(
          Effect.flatMap(organizationId(organization), (id) => organizations.get({ id })),
          {
            onFailure: (error) => Effect.succeed(Refusals.ofError(error)),
            onSuccess: ({ id }) => Effect.provideService(answer, CurrentOrganization, id),
          },
        ),
      ),
    )
  }),
)
