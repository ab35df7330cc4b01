/**
 * The audit of an organization: who has changed what, when, from where, and why.
 *
 * The commit of an administrative change appends its entry, for the `Actor` of the effect that makes it. Entries
 * are never changed, and numbered without gaps.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { HostEffect } from "./Access.ts"
import { Actor } from "../domain/Actor.ts"
import { Commits } from "./Commits.ts"
import { type InvalidRequest, OrganizationNotFound } from "../domain/Errors.ts"
import type { OrganizationId } from "../domain/Ids.ts"
import { FieldProblems } from "./internal/fieldProblems.ts"
import { pageLimit } from "./internal/pageLimit.ts"
import type * as Inputs from "./Inputs.ts"
import { type AuditPage, Store } from "../ports/Store.ts"

export interface Query extends Inputs.ReadAudit {
  readonly organization: OrganizationId
}

export interface Action extends Inputs.RecordAudit {
  readonly organization: OrganizationId
}

export class Audit extends Context.Service<
  Audit,
  {
    /**
     * Returns a page of entries, newest first. `first` and `last` are the sequences of the oldest and the newest
     * stored entry.
     */
    readonly read: (query: Query) => HostEffect<AuditPage>
    /** Records an action of the `Actor` that changes nothing in the engine, such as a login to a dashboard. */
    readonly record: (action: Action) => HostEffect<void, InvalidRequest>
  }
>()("@countersign/core/services/Audit") {}

const make = Effect.gen(function* () {
  const commits = yield* Commits
  const store = yield* Store
  return Audit.of({
    read: Effect.fn("Audit.read")(({ before, limit, organization }) =>
      Effect.flatMap(store.audit(organization, before, pageLimit(limit)), (page) =>
        page === undefined ? Effect.fail(new OrganizationNotFound()) : Effect.succeed(page),
      ),
    ),
    record: Effect.fn("Audit.record")(
      function* ({ action, organization, reason = null, target = null }) {
        const problems = new FieldProblems()
        problems.printable("action", action, maxActionLength)
        if (target !== null) problems.printable("target", target, maxTextLength)
        if (reason !== null) problems.printable("reason", reason, maxTextLength)
        if (problems.error !== undefined) return yield* problems.error
        const actor = yield* Actor
        yield* commits.run({ _tag: "RecordAudit", organization, actor, action, target, reason })
      },
      // The command carries no version, so it cannot be stale.
      Effect.catchTag("StaleSettings", Effect.die),
    ),
  })
})

export const layer = Layer.effect(Audit, make)

const maxActionLength = 64

const maxTextLength = 200
