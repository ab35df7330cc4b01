/** The senders of an organization. */
import * as Context from "effect/Context"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Access } from "../engine/Access.ts"
import type { HostEffect } from "../api/Caller.ts"
import type { Sender } from "../domain/messages/Sender.ts"
import { SenderNotFound, type InvalidRequest } from "../domain/errors/Errors.ts"
import { SenderId, type OrganizationId } from "../domain/values/Ids.ts"
import type * as Operation from "../api/Operation.ts"
import type { brands, senders } from "../api/senders.ts"
import { FieldProblems } from "../api/internal/fieldProblems.ts"
import { pageAfter } from "../api/internal/pageLimit.ts"
import { newId } from "../engine/internal/newId.ts"
import * as Organization from "../domain/organizations/Organization.ts"

type Operations = typeof senders

export type SaveSender = Operation.Inputs<typeof brands>["save"]

export class Senders extends Context.Service<
  Senders,
  Operation.HostMethods<Operations> & {
    readonly save: (input: SaveSender) => HostEffect<Sender, InvalidRequest>
    /** Approves or rejects a sender, for a reason, and returns it. A withdrawn one stays withdrawn. */
    readonly decide: (
      organization: OrganizationId,
      id: SenderId,
      status: "approved" | "rejected",
      reason?: string,
    ) => HostEffect<Sender, SenderNotFound>
  }
>()("@countersign/core/services/Senders") {}

const make = Effect.gen(function* () {
  const access = yield* Access
  const random = yield* SecureRandom.SecureRandom

  /** Senders are never deleted, so a sender that is found here still exists in the change. */
  const find = Effect.fnUntraced(function* (id: OrganizationId, sender: SenderId) {
    const { senders } = yield* access.load(id)
    return senders.find((one) => one.id === sender) ?? (yield* new SenderNotFound())
  })

  const changeSender = Effect.fnUntraced(function* (
    id: OrganizationId,
    sender: SenderId,
    change: (organization: Organization.Organization) => Organization.Organization,
  ) {
    yield* find(id, sender)
    const { senders } = yield* access.change(id, change)
    return senders.find((one) => one.id === sender) ?? (yield* new SenderNotFound())
  })

  const save = Effect.fnUntraced(function* (
    organization: OrganizationId,
    input: Omit<SaveSender, "organization">,
    name: "sender" | "value",
  ) {
    const problem = senderProblem(input, name)
    if (problem !== undefined) return yield* problem
    const sender: Sender = {
      id: SenderId(input.id ?? (yield* newId(random, "brd"))),
      kind: input.kind,
      sender: input.sender,
      status: input.status ?? "approved",
      isDefault: input.isDefault ?? false,
      class: input.class ?? null,
      reason: reasonOf(input),
    }
    yield* access.change(organization, (current) => Organization.withSender(current, sender))
    return sender
  })

  return Senders.of({
    save: Effect.fn("Senders.save")(({ organization, ...sender }) =>
      save(organization, sender, "sender"),
    ),
    create: Effect.fn("Senders.create")(({ organization, value, ...sender }) =>
      save(organization, { ...sender, sender: value }, "value"),
    ),
    /** With a status, a withdrawn sender is used again. */
    update: Effect.fn("Senders.update")(function* ({ organization, ...changes }) {
      const problem = senderProblem(
        changed(yield* find(organization, changes.id), changes),
        "value",
      )
      if (problem !== undefined) return yield* problem
      return yield* changeSender(organization, changes.id, (current) =>
        current.senders
          .filter(({ id }) => id === changes.id)
          .reduce((self, one) => Organization.withSender(self, changed(one, changes)), current),
      )
    }),
    decide: Effect.fn("Senders.decide")((id, sender, status, reason) =>
      changeSender(id, sender, (organization) =>
        Organization.withDecision(organization, sender, status, reasonOf({ status, reason })),
      ),
    ),
    /** A second withdrawal is not an error. */
    withdraw: Effect.fn("Senders.withdraw")(function* ({ id, organization }) {
      yield* changeSender(organization, id, (current) => Organization.withoutSender(current, id))
    }),
    list: Effect.fn("Senders.list")(({ organization, ...page }) =>
      Effect.map(access.load(organization), ({ senders }) => pageAfter(senders, page)),
    ),
  })
})

export const layer = Layer.effect(Senders, make)

const changed = (
  self: Sender,
  given: Omit<Operation.Inputs<Operations>["update"], "organization">,
): Sender => ({
  id: self.id,
  kind: given.kind ?? self.kind,
  sender: given.value ?? self.sender,
  status: given.status ?? self.status,
  isDefault: given.isDefault ?? self.isDefault,
  class: given.class === undefined ? self.class : given.class,
  reason:
    given.status === undefined && given.reason === undefined
      ? self.reason
      : reasonOf({ status: given.status ?? self.status, reason: given.reason }),
})

/** Only a rejected sender has one. */
const reasonOf = ({
  reason = null,
  status,
}: {
  readonly status?: Sender["status"] | undefined
  readonly reason?: string | null | undefined
}): string | null => (status === "rejected" ? reason : null)

/** Longest reason of a rejection, in UTF-16 units. */
const maxReason = 200

const senderProblem = (
  {
    id,
    isDefault,
    kind,
    reason = null,
    sender,
  }: Pick<SaveSender, "id" | "isDefault" | "kind" | "reason" | "sender">,
  name: "sender" | "value",
): InvalidRequest | undefined => {
  const problems = new FieldProblems()
  problems.printable(name, sender, 64)
  if (id !== undefined) problems.printable("id", id, 64)
  if (reason !== null) problems.printable("reason", reason, maxReason)
  if (isDefault === true && kind === "masking") {
    problems.fail("isDefault", "masking_default", {})
  }
  return problems.error
}
