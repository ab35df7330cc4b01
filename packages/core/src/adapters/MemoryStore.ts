/**
 * The store in memory, for tests, development and hosts that need no durable state.
 *
 * Decides and applies a command in one synchronous step, so organizations need no lock. Time is the Effect
 * `Clock`.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Order from "effect/Order"
import type { Command, CommandResult, Tag } from "../decide/Command.ts"
import * as Decision from "../decide/Decision.ts"
import * as Erasure from "../decide/maintenance/Erasure.ts"
import * as OrganizationChange from "../decide/OrganizationChange.ts"
import { GuardedClock } from "../engine/GuardedClock.ts"
import type { ApiKeyId, MessageRef, OrganizationId, RequestId } from "../domain/values/Ids.ts"
import { host } from "../domain/values/Actor.ts"
import { makeAlertRows } from "./internal/alertRows.ts"
import { makeBatchRows } from "./internal/batchRows.ts"
import { Counters, makeCounterRows } from "./internal/counterRows.ts"
import { makeOutboxRows } from "./internal/outboxRows.ts"
import { makeUnownedRows } from "./internal/unownedRows.ts"
import { makeStoreState } from "./internal/storeState.ts"
import { GatewayIds } from "./internal/gatewayIds.ts"
import { OrganizationState } from "./internal/organizationState.ts"
import { newestFirst, noTrace, pageOf, searchOf, totalsIn, traceOf } from "./internal/reads.ts"
import { summariesOf } from "./internal/summaries.ts"
import { applyErasure, personalRowsOf } from "./internal/personalRows.ts"
import { type Message, nextAt, type Status } from "../domain/messages/Message.ts"
import * as Organization from "../domain/organizations/Organization.ts"
import * as Money from "../domain/values/Money.ts"
import { defaults, Records } from "../domain/organizations/RecordOptions.ts"
import * as Statement from "../domain/money/Statement.ts"
import * as Pruning from "../decide/maintenance/Pruning.ts"
import * as Search from "../ports/Search.ts"
import * as Ports from "../ports/Store.ts"
import * as CounterChanges from "../decide/CounterChanges.ts"
import * as Increments from "../decide/TotalChanges.ts"
import * as TimeRepair from "../decide/maintenance/TimeRepair.ts"
import * as Verification from "../domain/verifications/Verification.ts"

const reportKey = ({ gateway, gatewayId, status }: Omit<Ports.ReportPlace, "receivedAt">): string =>
  JSON.stringify([gateway, gatewayId, status])

export const make = (records: Records = defaults): Ports.Store["Service"] => {
  const states = new Map<OrganizationId, OrganizationState>()
  const keys = new Map<ApiKeyId, Ports.OwnedApiKey>()
  const gatewayIds = new GatewayIds(({ sequence, organization }) =>
    states.get(organization)?.message(sequence),
  )
  const open = new Map<string, MessageRef>()
  const reports = new Map<string, Ports.KeptReport>()
  const counters = new Counters()

  const remember = (known: Omit<Organization.Organization, "version">): void => {
    const { isSuspended } = known.settings
    for (const apiKey of known.keys)
      keys.set(apiKey.id, { organization: known.id, apiKey, isSuspended })
  }

  const idsAfter = (after: OrganizationId | undefined, limit: number, which?: "with codes") =>
    [...states]
      .flatMap(([id, state]) => (which === undefined || state.mayHaveCodes ? [id] : []))
      .toSorted()
      .filter((id) => after === undefined || id > after)
      .slice(0, limit)

  const index = (message: Message): void => {
    const ref: MessageRef = { organization: message.organization, sequence: message.sequence }
    const key = `${ref.organization} ${ref.sequence}`
    if (nextAt(message) === null) open.delete(key)
    else open.set(key, ref)
  }

  const prune = (
    state: OrganizationState,
    step: Ports.PruneStep,
    now: number,
  ): Ports.PruneResult => {
    const { keepMillis, kind, limit } = step
    const before = Pruning.cutOff(now, keepMillis)
    const pruned = (dropped: number): Ports.PruneResult => ({
      dropped,
      next: dropped === limit ? kind : undefined,
    })
    switch (kind) {
      case "messages": {
        const messages = state.pruneLog(before, now, limit)
        for (const message of messages) gatewayIds.delete(message)
        return pruned(messages.length)
      }
      case "verifications":
        return pruned(state.pruneVerifications(before, now, limit))
      case "recipients":
        return state.pruneRecipients(before, now, step)
      case "findings":
        return state.pruneFindings(before, now, limit)
      case "totals":
        return pruned(state.pruneTotals(before, limit))
      case "events":
        return pruned(state.pruneRecords("events", "firstEvent", before, limit))
      case "refusals":
        return pruned(state.pruneRefusals(before, limit))
      case "outbox":
        return pruned(state.pruneOutbox(before, limit))
      case "batches":
        return pruned(state.pruneBatches(before, limit))
      case "audit":
        return pruned(state.pruneRecords("audit", "firstAudit", before, limit))
      case "codes":
        return state.eraseCodes(now, step)
    }
  }

  const execute = <T extends Tag>(
    command: Command<T>,
    clockMillis: number,
  ): Ports.CommitResult<CommandResult<T>> => {
    const state = states.get(command.organization)
    if (state === undefined) return { result: { _tag: "NoAccount" }, events: [] }
    const now = Decision.timeOf(state.account, clockMillis)
    const view = Decision.view(state, command)
    const { events, result, writes } = Decision.decide(view, command, now, records)
    const added = records.totals ? Increments.of(view, writes) : []
    // Runs first: it throws if the gateway is not text, and then nothing is applied.
    if (writes.gatewayId !== undefined) gatewayIds.add(writes.gatewayId, clockMillis)
    state.apply(writes)
    for (const one of added) state.totals.add(one)
    if (records.totals) counters.add(CounterChanges.of(command, view, writes, added, now))
    for (const one of Increments.ofBatches(view, writes)) state.batchTotals.add(one)
    if (writes.followed !== undefined) index(writes.followed)
    if (writes.message !== undefined) index(writes.message)
    return { result, events }
  }

  const guarded = new GuardedClock()

  const now = <A>(f: (at: number, context: Context.Context<never>) => A): Effect.Effect<A> =>
    Effect.withFiber(({ context }) => {
      const clock = Context.get(context, Clock.Clock)
      return Effect.succeed(f(guarded.read(clock.currentTimeMillisUnsafe(), context), context))
    })

  const repairTime = (state: OrganizationState, at: number): Ports.RepairResult => {
    state.account = TimeRepair.account(state.account, at)
    let messages = 0
    for (const [index, message] of state.log.entries()) {
      const repaired = TimeRepair.message(message, at)
      if (repaired === message) continue
      state.log[index] = repaired
      const moved = records.totals ? Increments.ofMessage(message, repaired) : []
      for (const one of moved) state.totals.add(one)
      counters.add(CounterChanges.ofTotals(moved))
      messages += 1
    }
    return { messages, next: undefined }
  }

  const searchVerifications = (
    state: OrganizationState,
    search: Search.VerificationSearch,
    clockMillis: number,
  ): Search.FoundVerifications => {
    const { lastAt, version } = state.account
    const now = Decision.timeOf(state.account, clockMillis)
    const found = searchOf(state.log, version, search, ({ requestId, sequence }) => {
      const request = requestId === null ? undefined : state.verification(requestId)
      if (request === undefined || Verification.firstMessage(request) !== sequence) return undefined
      const newest = state.message(request.messageSequence)
      return Search.selectsRequest(search, request, newest?.status) ? request : undefined
    })
    const late = found.rows.find((one) => Verification.mustRemember(one, lastAt, now))
    if (late !== undefined) {
      const { organization, requestId } = late
      execute({ _tag: "ObserveVerification", organization, requestId }, clockMillis)
    }
    const deliveries = new Map<RequestId, Status>()
    for (const { messageSequence, requestId } of found.rows) {
      const newest = state.message(messageSequence)
      if (newest !== undefined) deliveries.set(requestId, newest.status)
    }
    return { ...found, now, deliveries }
  }

  /** Reads from an organization; `undefined` if it does not exist. */
  const from = <A>(id: OrganizationId, read: (state: OrganizationState) => A) =>
    Effect.sync(() => {
      const state = states.get(id)
      return state && read(state)
    })

  /** As `from`, with the time. */
  const change = <A>(id: OrganizationId, f: (state: OrganizationState, at: number) => A) =>
    now((at) => {
      const state = states.get(id)
      return state && f(state, at)
    })

  return Ports.Store.of({
    execute: (command) =>
      now((clockMillis, context) => {
        const { organization } = command
        const lastAt = states.get(organization)?.account.lastAt ?? clockMillis
        guarded.watch(organization, lastAt, clockMillis, context)
        return execute(command, clockMillis)
      }),
    createOrganization: (organization, actor = host, version) =>
      now((clockMillis) => {
        if (states.has(organization.id)) return false
        const context = { actor, now: clockMillis, records, version }
        const rows = OrganizationChange.create(organization, context)
        states.set(organization.id, new OrganizationState(organization, rows))
        remember(organization)
        return true
      }),
    changeOrganization: (id, f, actor = host, version) =>
      change(id, (state, clockMillis) => {
        const now = Decision.timeOf(state.account, clockMillis)
        const context = { actor, now, records, version }
        const { events, organization, writes } = OrganizationChange.decide(state, f, context)
        state.change(organization)
        state.apply(writes)
        remember(organization)
        return { organization, events }
      }),
    organization: (id) => from(id, ({ organization }) => organization),
    organizations: (after, limit, which) => Effect.sync(() => idsAfter(after, limit, which)),
    organizationSummaries: (after, limit, selection) =>
      now((at) => summariesOf(states, { after, limit, at, ...selection })),
    apiKey: (id) => Effect.sync(() => keys.get(id)),
    recordKeyUses: (uses) =>
      now((clockMillis) => {
        for (const { at, id, organization } of uses) {
          const state = states.get(organization)
          if (state === undefined) continue
          const used = Math.min(at, clockMillis)
          state.organization = Organization.withKeyUse(state.organization, id, used)
          remember(state.organization)
        }
      }),
    account: (id) => from(id, ({ account }) => account),
    entries: (id, after, limit) =>
      Effect.sync(() => states.get(id)?.ledger.slice(after, after + limit) ?? []),
    payment: (id, paymentId) => Effect.sync(() => states.get(id)?.payment(paymentId)),
    balancesBefore: (id, at) =>
      Effect.sync(() => {
        const last = states.get(id)?.ledger.findLast((entry) => entry.at < at)
        const { balance, held, sequence } = last ?? noBalances
        return { balance, held, sequence }
      }),
    sumEntries: (id, after, through) =>
      Effect.sync(() => Statement.sumsOf(states.get(id)?.ledger.slice(after, through) ?? [])),
    events: (id, after, limit) => from(id, (state) => state.eventsAfter(after, limit)),
    trace: (id, query) =>
      Effect.map(
        from(id, (state) => traceOf(state, query)),
        (found) => found ?? noTrace,
      ),
    audit: (id, before, limit) => from(id, (state) => state.auditBefore(before, limit)),
    verification: (organization, requestId) =>
      change(organization, (state, clockMillis) => {
        if (state.verification(requestId) === undefined) return undefined
        const { result } = execute(
          { _tag: "ObserveVerification", organization, requestId },
          clockMillis,
        )
        if (result._tag !== "Observed") return undefined
        return { verification: result.verification, now: result.now }
      }),
    recipient: (organization, phoneNumber) =>
      change(organization, (state, clockMillis) => {
        const recipient = state.recipient(phoneNumber)
        return recipient && { recipient, now: Decision.timeOf(state.account, clockMillis) }
      }),
    messages: (id, query) => from(id, ({ account, log }) => pageOf(log, account.version, query)),
    searchMessages: (id, search) =>
      from(id, ({ account, log }) =>
        searchOf(log, account.version, search, (message) =>
          Search.selects(search, message) ? message : undefined,
        ),
      ),
    searchVerifications: (id, search) =>
      change(id, (state, clockMillis) => searchVerifications(state, search, clockMillis)),
    message: ({ sequence, organization }) =>
      from(organization, (state) => ({
        version: state.account.version,
        message: state.message(sequence),
      })),
    due: (limit, without = []) =>
      now((clockMillis) => {
        const dueAt = ({ sequence, organization }: MessageRef) => {
          const message = states.get(organization)?.message(sequence)
          return (message && nextAt(message)) ?? Infinity
        }
        return [...open.values()]
          .filter((ref) => dueAt(ref) <= clockMillis && !without.includes(ref.organization))
          .toSorted((a, b) => dueAt(a) - dueAt(b))
          .slice(0, limit)
      }),
    locate: (gateway, gatewayId) =>
      now((clockMillis) => gatewayIds.find({ gateway, gatewayId }, clockMillis)),
    keepReport: (report) =>
      now((receivedAt) => {
        const key = reportKey(report)
        if (!reports.has(key)) reports.set(key, { ...report, receivedAt })
      }),
    keptReports: (after, limit) =>
      now((clockMillis) => {
        const left = [...reports.values()].filter((one) => !after || byArrival(one, after) > 0)
        const page = left.toSorted(byArrival).slice(0, limit)
        return { now: clockMillis, reports: page, last: page.at(-1) }
      }),
    reports: ({ sequence, organization }) =>
      Effect.sync(() => [...(states.get(organization)?.reports.get(sequence) ?? [])]),
    findings: (organization, limit) =>
      Effect.sync(() =>
        (states.get(organization)?.findings ?? []).toSorted(newestFirst).slice(0, limit),
      ),
    webhookProgress: (organization) =>
      Effect.sync(() => [...(states.get(organization)?.webhooks.values() ?? [])]),
    dueWebhooks: ({ after, isTroubled, limit }) =>
      now((at) =>
        [...states.values()]
          .flatMap((state) => state.dueWebhooks(isTroubled, at))
          .toSorted(byPlace)
          .filter((ref) => after === undefined || byPlace(ref, after) > 0)
          .slice(0, limit),
      ),
    totals: (organization, query) =>
      Effect.sync(() => totalsIn(states.get(organization)?.totals.rows() ?? [], query)),
    optOuts: (organization, digests) =>
      Effect.sync(() => digests.flatMap((one) => states.get(organization)?.optOut(one) ?? [])),
    refusals: (organization, search) =>
      from(organization, ({ refusals }) =>
        [...refusals.values()]
          .filter((one) => Search.selectsRefusal(search, one))
          .toReversed()
          .slice(0, search.limit),
      ),
    forgetReport: (report) => Effect.sync(() => void reports.delete(reportKey(report))),
    prune: (step) =>
      Effect.map(
        change(step.organization, (state, at) => prune(state, step, at)),
        (pruned) => pruned ?? { dropped: 0, next: undefined },
      ),
    personalRows: (step) => from(step.organization, (state) => personalRowsOf(state, step)),
    erase: (step) =>
      change(step.organization, (state, clockMillis) => {
        const { rows, next } = personalRowsOf(state, step)
        const at = Decision.timeOf(state.account, clockMillis)
        const [digest] = step.digests
        const erased = Erasure.decide(rows, { ...step, digest }, at)
        applyErasure(state, step.phoneNumber, erased)
        for (const message of erased.messages) gatewayIds.delete(message)
        for (const [key, report] of reports) {
          if (erased.named.some((message) => isNamed(message, report))) reports.delete(key)
        }
        return { counts: erased.counts, left: erased.left, next }
      }),
    repairTime: ({ organization }) => change(organization, repairTime),
    ...makeUnownedRows(),
    ...makeBatchRows(states),
    ...makeStoreState(states, open, now),
    ...makeCounterRows(states, counters, records.totals),
    ...makeAlertRows(states),
    ...makeOutboxRows(states, now),
  })
}

const isNamed = (message: Message, report: Ports.ReportPlace): boolean =>
  message.gateway === report.gateway && message.gatewayId === report.gatewayId

/** Reports of the same time are ordered by key, so that the order is total. */
const byArrival = Order.combine(
  Order.mapInput(Order.Number, (report: Ports.ReportPlace) => report.receivedAt),
  Order.mapInput(Order.String, reportKey),
)

const byPlace = Order.mapInput(
  Order.String,
  ({ id, organization }: Ports.WebhookRef) => `${organization} ${id}`,
)

const noBalances = { sequence: 0, balance: Money.zero, held: Money.zero }

/** Each build of the layer has a store of its own. */
export const layer: Layer.Layer<Ports.Store> = Layer.effect(Ports.Store, Effect.map(Records, make))
