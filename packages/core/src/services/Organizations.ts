/** The organizations that the host serves. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Struct from "effect/Struct"
import * as AlertOverrides from "../domain/alerts/AlertOverrides.ts"
import { Actor } from "../domain/values/Actor.ts"
import { Access } from "../engine/Access.ts"
import type { HostEffect } from "../api/Caller.ts"
import type * as Operation from "../api/Operation.ts"
import type { organizations } from "../api/organizations.ts"
import { Commits } from "../engine/Commits.ts"
import * as Errors from "../domain/errors/Errors.ts"
import { FieldProblems } from "../api/internal/fieldProblems.ts"
import { newVersion } from "../engine/internal/newId.ts"
import { pageLimit } from "../api/internal/pageLimit.ts"
import { OrganizationId } from "../domain/values/Ids.ts"
import { dayMillis, quarterMillis } from "../domain/money/Total.ts"
import { messageClasses } from "../domain/values/MessageClass.ts"
import * as TimeZone from "../domain/values/TimeZone.ts"
import * as QuietHours from "../domain/messages/QuietHours.ts"
import * as Checks from "../domain/values/internal/checks.ts"
import * as Prefixes from "../domain/values/PrefixList.ts"
import * as LimitOverrides from "../domain/limits/LimitOverrides.ts"
import * as Organization from "../domain/organizations/Organization.ts"
import { type OrganizationSummary, Store } from "../ports/Store.ts"

/** A change of single entries of the allow list. Others, and changes by others, stay. */
export interface AllowListChanges {
  readonly add?: ReadonlyArray<string> | undefined
  /** Entries as they are in the list. Others are ignored. */
  readonly remove?: ReadonlyArray<string> | undefined
  /**
   * Whether the list may become empty, so that every address may call. If it may not, a change that would remove its
   * last entry does nothing. @defaultValue false
   */
  readonly mayOpen?: boolean | undefined
}

type Inputs = Operation.Inputs<typeof organizations>

const repairLimit = 500

export class Organizations extends Context.Service<
  Organizations,
  Omit<Operation.HostMethods<typeof organizations>, "list" | "update"> & {
    /** The entry of one organization in the list. */
    readonly summary: (input: Inputs["get"]) => HostEffect<OrganizationSummary>
    readonly list: (
      input?: Inputs["list"],
    ) => Effect.Effect<ReadonlyArray<OrganizationSummary>, Errors.StoreUnavailable>
    /** Changes the given settings. `allowListChanges` changes single entries of the allow list. */
    readonly update: (
      input: Inputs["update"] & { readonly allowListChanges?: AllowListChanges | undefined },
    ) => HostEffect<Organization.Organization, Errors.InvalidRequest>
  }
>()("@countersign/core/services/Organizations") {}

const make = Effect.gen(function* () {
  const access = yield* Access
  const commits = yield* Commits
  const random = yield* SecureRandom.SecureRandom
  const store = yield* Store

  const setSuspended = (id: OrganizationId, isSuspended: boolean) =>
    access.change(id, (organization) => Organization.withSettings(organization, { isSuspended }))

  return Organizations.of({
    create: Effect.fn("Organizations.create")(function* (input) {
      const problem = problemIn(input)
      if (problem !== undefined) return yield* problem
      const id = OrganizationId(input.id)
      const organization = {
        id,
        name: input.name ?? input.id,
        settings: { ...Organization.defaultSettings, ...settingsOf(input) },
        senders: Organization.defaultSenders(input.senders ?? {}),
        keys: [],
        webhooks: [],
      }
      const version = yield* newVersion(random)
      const created = yield* store.createOrganization(organization, yield* Actor, version)
      if (!created) return yield* new Errors.OrganizationExists()
      return yield* access.load(id).pipe(Effect.catchTag("OrganizationNotFound", Effect.die))
    }),
    get: Effect.fn("Organizations.get")(({ id }) => access.load(id)),
    summary: Effect.fn("Organizations.summary")(function* ({ id }) {
      const organization = yield* access.load(id)
      const account = yield* store.account(id)
      if (account === undefined) return yield* new Errors.OrganizationNotFound()
      const now = yield* Clock.currentTimeMillis
      const query = {
        kinds: ["messages"],
        from: now - dayMillis,
        to: Number.MAX_SAFE_INTEGER,
      } as const
      const totals = yield* store.totals(id, { ...query, slotMillis: quarterMillis })
      const sent = totals.reduce((sum, { count }) => sum + count, 0)
      return Organization.summaryOf(organization, account, now, sent)
    }),
    list: Effect.fn("Organizations.list")(({ after, limit, ...selection } = {}) =>
      store.organizationSummaries(after, pageLimit(limit), selection),
    ),
    update: Effect.fn("Organizations.update")(function* ({
      allowListChanges = {},
      id,
      name,
      resetAlerts = [],
      resetLimits = [],
      ...given
    }) {
      const added = { allowList: allowListChanges.add ?? [] }
      const problem = problemIn({ ...given, name }) ?? problemIn(added)
      if (problem !== undefined) return yield* problem
      return yield* access.change(id, (organization) => {
        const { alerts, limits, ...settings } = settingsOf(given)
        const changed = Organization.withSettings(organization, settings)
        const kept = Struct.omit(changed.settings.limits, resetLimits)
        const keptAlerts = Struct.omit(changed.settings.alerts, resetAlerts)
        const allowList = changedList(changed.settings.allowList, allowListChanges)
        return {
          ...Organization.withSettings(changed, {
            allowList,
            prefixReasons: Prefixes.reasonsIn(changed.settings),
            limits: { ...kept, ...limits },
            alerts: { ...keptAlerts, ...alerts },
          }),
          name: name ?? organization.name,
        }
      })
    }),
    suspend: Effect.fn("Organizations.suspend")(({ id }) => setSuspended(id, true)),
    resume: Effect.fn("Organizations.resume")(({ id }) => setSuspended(id, false)),
    repairTime: Effect.fn("Organizations.repairTime")(
      function* ({ id: organization }) {
        let messages = 0
        let after: string | undefined
        do {
          const step = yield* store.repairTime({ organization, after, limit: repairLimit })
          if (step === undefined) return yield* new Errors.OrganizationNotFound()
          messages += step.messages
          after = step.next
        } while (after !== undefined)
        // After the repair, because an entry has the organization's time.
        const repaired = { action: "time.repaired", target: null, reason: null }
        const actor = yield* Actor
        yield* commits.run({ _tag: "RecordAudit", organization, actor, ...repaired })
        return { messages }
        // The command carries no version, so it cannot be stale.
      },
      Effect.catchTag("StaleSettings", Effect.die),
    ),
  })
})

export const layer = Layer.effect(Organizations, make)

/** Longest display name, in UTF-16 units. */
const maxNameLength = 200

const changedList = (
  current: ReadonlyArray<string>,
  { add = [], mayOpen = false, remove = [] }: AllowListChanges,
): ReadonlyArray<string> => {
  const changed = [...new Set([...current.filter((one) => !remove.includes(one)), ...add])]
  return changed.length === 0 && !mayOpen ? current : changed
}

const thresholds = { min: 0, max: Number.MAX_SAFE_INTEGER }

const settingsOf = (given: Partial<Inputs["create"]>): Partial<Organization.Settings> => {
  const {
    alerts,
    allowList,
    allowedPrefixes,
    balanceLowAt,
    blockedPrefixes,
    limits,
    prefixReasons,
    quietHours,
    zone,
  } = given
  return {
    ...(alerts !== undefined && { alerts }),
    ...(allowList !== undefined && { allowList }),
    ...(allowedPrefixes !== undefined && { allowedPrefixes }),
    ...(blockedPrefixes !== undefined && { blockedPrefixes }),
    ...(balanceLowAt !== undefined && { balanceLowAt }),
    ...(limits !== undefined && { limits }),
    ...(prefixReasons !== undefined && { prefixReasons }),
    ...(quietHours !== undefined && { quietHours }),
    ...(zone !== undefined && { zone }),
  }
}

const problemIn = (given: Partial<Inputs["create"]>): Errors.InvalidRequest | undefined => {
  const { id, name, senders = {}, ...settings } = given
  const problems = new FieldProblems()
  if (id !== undefined && !/^[A-Za-z0-9_-]{1,64}$/.test(id)) {
    problems.fail("id", "invalid_id", { min: 1, max: 64 })
  }
  const nameProblem = name === undefined ? undefined : Checks.textProblem(name, maxNameLength)
  if (nameProblem !== undefined) problems.add("name", nameProblem)
  for (const sender of [senders.sms, senders.whatsapp]) {
    if (sender !== undefined) problems.printable("senders", sender, 64)
  }
  problems.add("allowList", ...Organization.allowListProblems(settings.allowList ?? []))
  problems.add("blockedPrefixes", ...Prefixes.problems(settings.blockedPrefixes ?? []))
  problems.add("allowedPrefixes", ...Prefixes.problems(settings.allowedPrefixes ?? []))
  for (const [prefix, reason] of Object.entries(settings.prefixReasons ?? {})) {
    problems.printable(`prefixReasons.${prefix}`, reason, Prefixes.maxReason)
  }
  for (const messageClass of messageClasses) {
    const hours = settings.quietHours?.[messageClass]
    for (const [name, problem] of hours === undefined ? [] : QuietHours.problems(hours)) {
      problems.add(`quietHours.${messageClass}.${name}`, problem)
    }
  }
  const { balanceLowAt = null, zone = null } = settings
  if (zone !== null && !TimeZone.isZone(zone)) problems.fail("zone", "unknown_zone", {})
  if (balanceLowAt !== null) problems.integer("balanceLowAt", balanceLowAt, thresholds)
  problems.add("alerts", ...AlertOverrides.problems(settings.alerts ?? {}))
  problems.add("limits", ...LimitOverrides.problems(settings.limits ?? {}))
  return problems.error
}
