/**
 * The audit of an organization: who has changed what, when, from where, and why.
 *
 * The commit of an administrative change appends its entry, for the `Actor` of the effect that makes it. Entries
 * are never changed, and numbered without gaps.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Actor } from "../domain/values/Actor.ts"
import type { AuditRecord } from "../domain/access/AuditRecord.ts"
import { Commits } from "../engine/Commits.ts"
import { OrganizationNotFound } from "../domain/errors/Errors.ts"
import { FieldProblems } from "../api/internal/fieldProblems.ts"
import { pageLimit } from "../api/internal/pageLimit.ts"
import type { audit } from "../api/audit.ts"
import type * as Operation from "../api/Operation.ts"
import * as Ports from "../ports/Store.ts"

type Operations = Operation.HostMethods<typeof audit>

export type Query = Parameters<Operations["list"]>[0]

export class Audit extends Context.Service<
  Audit,
  { readonly list: Operations["list"]; readonly record: Operations["record"] }
>()("@countersign/core/services/Audit") {}

const make = Effect.gen(function* () {
  const commits = yield* Commits
  const store = yield* Ports.Store
  return Audit.of({
    list: Effect.fn("Audit.list")(function* ({ before, limit, organization, ...filters }) {
      const problems = new FieldProblems()
      problems.period(filters)
      if (problems.error !== undefined) return yield* problems.error
      const rows = pageLimit(limit)
      const isFiltered = Object.values(filters).some((value) => value !== undefined)
      const page = yield* store.audit(organization, before, isFiltered ? maxExamined : rows)
      if (page === undefined) return yield* new OrganizationNotFound()
      const entries = page.entries.filter((entry) => isSelected(filters, entry)).slice(0, rows)
      const last = entries.length === rows ? entries.at(-1) : page.entries.at(-1)
      return { ...page, entries, next: last === undefined ? last : nextOf(filters, page, last) }
    }),
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

type Filters = Omit<Query, "before" | "limit" | "organization">

/** Maximum number of entries that a page with filters examines. */
const maxExamined = 1_000

const isPart = (part: string | undefined, text: string | null): boolean =>
  part === undefined || (text !== null && text.toLowerCase().includes(part.toLowerCase()))

const isSelected = (filters: Filters, { action, actor, at, target }: AuditRecord): boolean =>
  isPart(filters.actor, actor) &&
  isPart(filters.action, action) &&
  isPart(filters.target, target) &&
  at >= (filters.from ?? -Infinity) &&
  at <= (filters.to ?? Infinity)

/** Older entries may be selected unless the page reaches the oldest stored entry, or the start of the period. */
const nextOf = ({ from }: Filters, page: Ports.AuditPage, last: AuditRecord): number | undefined =>
  last.sequence <= page.first || last.at < (from ?? -Infinity) ? undefined : last.sequence

const maxActionLength = 64

const maxTextLength = 200
