/**
 * The senders of an organization.
 */
import * as Context from "effect/Context"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Access } from "../engine/Access.ts"
import type { HostEffect } from "../api/Caller.ts"
import type { Sender } from "../domain/messages/Sender.ts"
import { SenderNotFound, type InvalidRequest } from "../domain/errors/Errors.ts"
import * as FieldProblem from "../domain/values/FieldProblem.ts"
import { SenderId, type OrganizationId } from "../domain/values/Ids.ts"
import type * as Operation from "../api/Operation.ts"
import type { senders } from "../api/senders.ts"
import { FieldProblems } from "../api/internal/fieldProblems.ts"
import { pageAfter } from "../api/internal/pageLimit.ts"
import { newId } from "../engine/internal/newId.ts"
import * as Organization from "../domain/organizations/Organization.ts"

type Inputs = Operation.Inputs<typeof senders>

export type SaveSender = Inputs["save"]

export class Senders extends Context.Service<
  Senders,
  {
    readonly save: (input: SaveSender) => HostEffect<Sender, InvalidRequest>
    /** Approves or rejects a sender, and returns it. A withdrawn one stays withdrawn. */
    readonly decide: (
      organization: OrganizationId,
      id: SenderId,
      status: "approved" | "rejected",
    ) => HostEffect<Sender, SenderNotFound>
    /**
     * Ends the use of a sender on every node from the next request on. It stays in the list. A withdrawn default is
     * the default no longer. A second withdrawal is not an error.
     */
    readonly withdraw: (input: Inputs["withdraw"]) => HostEffect<void, SenderNotFound>
    readonly list: (page: Inputs["list"]) => HostEffect<ReadonlyArray<Sender>>
  }
>()("@countersign/core/services/Senders") {}

const make = Effect.gen(function* () {
  const access = yield* Access
  const random = yield* SecureRandom.SecureRandom

  /** Brands are never deleted, so a sender that is found here still exists in the change. */
  const changeSender = Effect.fnUntraced(function* (
    id: OrganizationId,
    sender: SenderId,
    change: (organization: Organization.Organization) => Organization.Organization,
  ) {
    const before = yield* access.load(id)
    if (!before.senders.some((one) => one.id === sender)) return yield* new SenderNotFound()
    return yield* access.change(id, change)
  })

  return Senders.of({
    save: Effect.fn("Senders.save")(function* (input) {
      const problem = senderProblem(input)
      if (problem !== undefined) return yield* problem
      const sender: Sender = {
        id: SenderId(input.id ?? (yield* newId(random, "brd"))),
        kind: input.kind,
        sender: input.sender,
        status: input.status ?? "approved",
        isDefault: input.isDefault ?? false,
      }
      yield* access.change(input.organization, (organization) =>
        Organization.withSender(organization, sender),
      )
      return sender
    }),
    decide: Effect.fn("Senders.decide")(function* (id, sender, status) {
      const { senders } = yield* changeSender(id, sender, (organization) =>
        Organization.withDecision(organization, sender, status),
      )
      return senders.find((one) => one.id === sender) ?? (yield* new SenderNotFound())
    }),
    withdraw: Effect.fn("Senders.withdraw")(function* ({ id, organization }) {
      yield* changeSender(organization, id, (current) => Organization.withoutSender(current, id))
    }),
    list: Effect.fn("Senders.list")(({ organization, ...page }) =>
      Effect.map(access.load(organization), ({ senders }) => pageAfter(senders, page)),
    ),
  })
})

export const layer = Layer.effect(Senders, make)

const senderProblem = ({
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
