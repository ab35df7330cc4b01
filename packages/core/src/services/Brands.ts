/**
 * The senders of an organization.
 */
import * as Context from "effect/Context"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Access } from "../engine/Access.ts"
import type { HostEffect } from "../api/Caller.ts"
import type { Brand } from "../domain/messages/Brand.ts"
import { BrandNotFound, type InvalidRequest } from "../domain/errors/Errors.ts"
import * as FieldProblem from "../domain/values/FieldProblem.ts"
import { BrandId, type OrganizationId } from "../domain/values/Ids.ts"
import type * as Operation from "../api/Operation.ts"
import type { senders } from "../api/senders.ts"
import { FieldProblems } from "../api/internal/fieldProblems.ts"
import { pageAfter } from "../api/internal/pageLimit.ts"
import { newId } from "../engine/internal/newId.ts"
import * as Organization from "../domain/organizations/Organization.ts"

type Inputs = Operation.Inputs<typeof senders>

export type SaveBrand = Inputs["save"]

export class Brands extends Context.Service<
  Brands,
  {
    readonly save: (input: SaveBrand) => HostEffect<Brand, InvalidRequest>
    /** Approves or rejects a sender, and returns it. A withdrawn one stays withdrawn. */
    readonly decide: (
      organization: OrganizationId,
      id: BrandId,
      status: "approved" | "rejected",
    ) => HostEffect<Brand, BrandNotFound>
    /**
     * Ends the use of a sender on every node from the next request on. It stays in the list. A withdrawn default is
     * the default no longer. A second withdrawal is not an error.
     */
    readonly withdraw: (input: Inputs["withdraw"]) => HostEffect<void, BrandNotFound>
    readonly list: (page: Inputs["list"]) => HostEffect<ReadonlyArray<Brand>>
  }
>()("@countersign/core/services/Brands") {}

const make = Effect.gen(function* () {
  const access = yield* Access
  const random = yield* SecureRandom.SecureRandom

  /** Brands are never deleted, so a brand that is found here still exists in the change. */
  const changeBrand = Effect.fnUntraced(function* (
    id: OrganizationId,
    brand: BrandId,
    change: (organization: Organization.Organization) => Organization.Organization,
  ) {
    const before = yield* access.load(id)
    if (!before.brands.some((one) => one.id === brand)) return yield* new BrandNotFound()
    return yield* access.change(id, change)
  })

  return Brands.of({
    save: Effect.fn("Brands.save")(function* (input) {
      const problem = brandProblem(input)
      if (problem !== undefined) return yield* problem
      const brand: Brand = {
        id: BrandId(input.id ?? (yield* newId(random, "brd"))),
        kind: input.kind,
        sender: input.sender,
        status: input.status ?? "approved",
        isDefault: input.isDefault ?? false,
      }
      yield* access.change(input.organization, (organization) =>
        Organization.withBrand(organization, brand),
      )
      return brand
    }),
    decide: Effect.fn("Brands.decide")(function* (id, brand, status) {
      const { brands } = yield* changeBrand(id, brand, (organization) =>
        Organization.withDecision(organization, brand, status),
      )
      return brands.find((one) => one.id === brand) ?? (yield* new BrandNotFound())
    }),
    withdraw: Effect.fn("Brands.withdraw")(function* ({ id, organization }) {
      yield* changeBrand(organization, id, (current) => Organization.withoutBrand(current, id))
    }),
    list: Effect.fn("Brands.list")(({ organization, ...page }) =>
      Effect.map(access.load(organization), ({ brands }) => pageAfter(brands, page)),
    ),
  })
})

export const layer = Layer.effect(Brands, make)

const brandProblem = ({
  id,
  isDefault,
  kind,
  sender,
}: Inputs["save"]): InvalidRequest | undefined => {
  const problems = new FieldProblems()
  problems.printable("sender", sender, 64)
  if (id !== undefined) problems.printable("id", id, 64)
  if (isDefault === true && kind === "masking") {
    problems.add("isDefault", FieldProblem.make("masking_default", {}))
  }
  return problems.error
}
