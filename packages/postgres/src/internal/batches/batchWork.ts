/** The work of a batch: how its commands are decided on the rows that a lane reads or that are in memory. */
import type { StoreUnavailable } from "@countersign/core/domain/Errors"
import type { Command, CommandResult, Tag } from "@countersign/core/decide/Command"
import * as Decision from "@countersign/core/decide/Decision"
import * as Increments from "@countersign/core/decide/Increments"
import { isEnding } from "@countersign/core/decide/Needs"
import type { PhoneNumber } from "@countersign/core/domain/PhoneNumber"
import type { Records } from "@countersign/core/domain/Records"
import type { CommitResult } from "@countersign/core/ports/Store"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { BatchSql } from "../statements/batchSql.ts"
import type { StoreClock } from "../storeClock.ts"
import { BatchNeeds } from "./batchNeeds.ts"
import { BatchRows } from "./batchRows.ts"
import type { KnownRows, OrganizationRows } from "./organizationRows.ts"
import type { RowCache } from "./rowCache.ts"
import type { Work } from "./transactions.ts"

/** A queued command with its types hidden. It keeps its result until the outcome of the commit is known. */
export interface Entry {
  readonly organization: string
  readonly isEnding: boolean
  readonly isUrgent: boolean
  readonly addNeeds: (needs: BatchNeeds) => void
  /** Never throws. A command that cannot be decided writes nothing and fails alone in `settle`. */
  readonly decide: (rows: OrganizationRows, now: number) => Decision.Writes
  readonly settle: (exit: Exit.Exit<void, StoreUnavailable>) => void
}

export const makeEntry = <T extends Tag>(
  command: Command<T>,
  phoneNumber: PhoneNumber | undefined,
  records: Records,
  isUrgent: boolean,
  resume: (effect: Effect.Effect<CommitResult<CommandResult<T>>, StoreUnavailable>) => void,
): Entry => {
  let decided: Exit.Exit<CommitResult<CommandResult<T>>> | undefined
  return {
    organization: command.organization,
    isEnding: isEnding(command),
    isUrgent,
    addNeeds: (needs) => {
      try {
        needs.add(command, phoneNumber)
      } catch {
        // `settle` fails for the same reason and reports the failure to the caller.
      }
    },
    decide: (rows, clockMillis) => {
      try {
        const now = Decision.timeOf(rows.account, clockMillis)
        const view = Decision.view(rows, command)
        const decision = Decision.decide(view, command, now, records)
        if (records.totals) {
          for (const one of Increments.of(view, decision.writes)) rows.totals.add(one)
        }
        decided = Exit.succeed({ outcome: decision.outcome, events: decision.events })
        return decision.writes
      } catch (defect) {
        decided = Exit.die(defect)
        return {}
      }
    },
    settle: (exit) => {
      if (Exit.isFailure(exit)) resume(Effect.failCause(exit.cause))
      else if (decided !== undefined) resume(decided)
    },
  }
}

export const makeWork = (sql: BatchSql, clock: StoreClock, cache: RowCache) => {
  /** Decides with the rows in `known`, and reads the others. */
  const reading = (
    entries: ReadonlyArray<Entry>,
    hostNow: number | undefined,
    known: KnownRows,
    onDecide: (isReturning: boolean) => void,
  ) => {
    const needs = new BatchNeeds(known, cache.canGuess)
    for (const entry of entries) entry.addNeeds(needs)
    const organizations = needs.organizations()
    const reads = needs.reads(sql)
    const { server } = cache
    const decide: Work<Exit.Exit<BatchRows>>["decide"] = ([accounts = nothing, ...results]) => {
      try {
        const rows = new BatchRows(known, known.size === 0 ? undefined : server)
        rows.loadAccounts(accounts.rows)
        for (const [index, { load }] of reads.entries()) {
          for (const row of results[index]?.rows ?? []) load(rows, row)
        }
        onDecide(cache.noteRecipients(needs.recipients, rows))
        for (const { end } of reads) end(rows)
        // The time of the last account, because its lock was granted last.
        const row = accounts.rows.at(-1)
        const carried = hostNow === undefined && row === undefined ? clock.carriedNow() : undefined
        const now = clock.timeAt(hostNow ?? carried, row)
        // The statements compare the stamps in the order of the organizations.
        const own = rows.organizations.toSorted((one, other) =>
          one.account.organization < other.account.organization ? -1 : 1,
        )
        const condition = {
          organizations: own.map(({ account }) => account.organization),
          stamps: own.map(({ stamp }) => stamp),
          now: carried,
          server: rows.server,
          absent: needs.guessed,
        }
        clock.watch(
          own.map(({ account }) => account),
          now,
        )
        for (const entry of entries) {
          const own = rows.of(entry.organization)
          rows.apply(own, entry.decide(own, now))
        }
        return { value: Exit.succeed(rows), rows: rows.writes(sql), condition }
      } catch (defect) {
        // A value that writes nothing, so that the connection is kept.
        return { value: Exit.die(defect), rows: [] }
      }
    }
    return {
      organizations,
      accounts: organizations.filter((organization) => !known.has(organization)),
      reads: reads.map(({ statement }) => statement),
      decide,
    }
  }

  return (
    entries: ReadonlyArray<Entry>,
    hostNow: number | undefined,
  ): Work<Exit.Exit<BatchRows>> => {
    const known = cache.take(organizationsOf(entries))
    let isRefused = false
    const cached =
      known.size === 0
        ? undefined
        : reading(entries, hostNow, known, () => {
            isRefused = true
          })
    let all: ReturnType<typeof reading> | undefined
    /** Reads all rows. Only a batch whose rows in memory did not fit needs it. */
    const fresh = () =>
      (all ??= reading(entries, hostNow, new Map(), (isReturning) => {
        if (isRefused && !isReturning) cache.avoid(fresh().organizations)
      }))
    const organizations = (cached ?? fresh()).organizations
    return {
      home: organizations[0] ?? "",
      accounts: organizations,
      get reads() {
        return fresh().reads
      },
      decide: (results) => fresh().decide(results),
      cached,
    }
  }
}

const nothing = { rows: [] }

const organizationsOf = (entries: ReadonlyArray<Entry>): ReadonlyArray<string> => [
  ...new Set(entries.map(({ organization }) => organization)),
]
