/** The work of a batch: how its commands are decided on the rows that a lane reads or that are in memory. */
import type { StoreUnavailable } from "@countersign/core/domain/errors/Errors"
import type { Command, CommandResult, Tag } from "@countersign/core/decide/Command"
import * as Decision from "@countersign/core/decide/Decision"
import * as CounterChanges from "@countersign/core/decide/CounterChanges"
import * as Increments from "@countersign/core/decide/TotalChanges"
import { isEnding } from "@countersign/core/decide/Needs"
import type { PhoneNumber } from "@countersign/core/domain/values/PhoneNumber"
import type { Records } from "@countersign/core/domain/organizations/RecordOptions"
import type * as Call from "@countersign/core/engine/Call"
import type { CommitResult } from "@countersign/core/ports/Store"
import * as Exit from "effect/Exit"
import type { Database } from "../database.ts"
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
  addNeeds(needs: BatchNeeds): void
  /** Never throws. A command that cannot be decided writes nothing and fails alone in `settle`. */
  decide(rows: OrganizationRows, now: number): Decision.Writes
  settle(exit: Exit.Exit<void, StoreUnavailable>): void
}

/** Gets what a command came to. */
export type Done<T extends Tag> = Call.Done<CommitResult<CommandResult<T>>, StoreUnavailable>

export class CommandEntry<T extends Tag> implements Entry {
  readonly organization: string
  readonly isEnding: boolean
  readonly isUrgent: boolean
  readonly #command: Command<T>
  readonly #phoneNumber: PhoneNumber | undefined
  readonly #records: Records
  readonly #done: Done<T>
  #decided: Exit.Exit<CommitResult<CommandResult<T>>> | undefined

  constructor(
    command: Command<T>,
    phoneNumber: PhoneNumber | undefined,
    records: Records,
    isUrgent: boolean,
    done: Done<T>,
  ) {
    this.organization = command.organization
    this.isEnding = isEnding(command)
    this.isUrgent = isUrgent
    this.#command = command
    this.#phoneNumber = phoneNumber
    this.#records = records
    this.#done = done
  }

  addNeeds(needs: BatchNeeds): void {
    try {
      needs.add(this.#command, this.#phoneNumber)
    } catch {
      // `decide` fails for the same reason, and `settle` reports the failure to the caller.
    }
  }

  decide(rows: OrganizationRows, clockMillis: number): Decision.Writes {
    try {
      const now = Decision.timeOf(rows.account, clockMillis)
      const view = Decision.view(rows, this.#command)
      const decision = Decision.decide(view, this.#command, now, this.#records)
      if (this.#records.totals) {
        const totals = Increments.of(view, decision.writes)
        for (const one of totals) rows.addTotal(one)
        rows.addCounters(CounterChanges.of(this.#command, view, decision.writes, totals, now))
      }
      for (const one of Increments.ofBatches(view, decision.writes)) rows.addBatchTotal(one)
      this.#decided = Exit.succeed({ result: decision.result, events: decision.events })
      return decision.writes
    } catch (defect) {
      this.#decided = Exit.die(defect)
      return {}
    }
  }

  settle(exit: Exit.Exit<void, StoreUnavailable>): void {
    if (Exit.isFailure(exit)) this.#done(Exit.failCause(exit.cause))
    else if (this.#decided !== undefined) this.#done(this.#decided)
  }
}

type BatchWork = Work<Exit.Exit<BatchRows>>

export const makeWork =
  ({ clock, nextStamp, sql }: Database, cache: RowCache) =>
  (entries: ReadonlyArray<Entry>, hostNow: number | undefined): BatchWork => {
    const taken = cache.take(entries)
    const organizations = [...new Set(entries.map(({ organization }) => organization))]

    /** Decides on the rows in `known`, and reads the others. Runs once, because commands change the rows. */
    const attempt = (known: KnownRows) => {
      const rows = new BatchRows(known)
      const needs = new BatchNeeds(rows, cache.canGuess)
      for (const entry of entries) entry.addNeeds(needs)
      const reads = needs.reads(sql)
      const decide: BatchWork["decide"] = ([accounts = nothing, ...results], writer) => {
        try {
          rows.loadAccounts(accounts.rows)
          for (const [index, { load }] of reads.entries()) {
            for (const row of results[index]?.rows ?? []) load(row)
          }
          cache.learn(taken, rows, needs.recipients)
          // The time of the last account, because its lock was granted last.
          const last = accounts.rows.at(-1)
          const isCarried = hostNow === undefined && last === undefined
          const carried = isCarried ? clock.carriedNow() : undefined
          const now = clock.timeAt(hostNow ?? carried, last)
          for (const { account } of rows.organizations) clock.watch(account, now)
          for (const entry of entries) {
            const own = rows.of(entry.organization)
            rows.apply(own, entry.decide(own, now))
          }
          const condition = {
            organizations: rows.organizations,
            now: carried,
            absent: needs.guesses,
            taken: needs.taken,
          }
          return {
            value: Exit.succeed(rows),
            rows: rows.writes(sql, nextStamp(), writer),
            condition,
          }
        } catch (defect) {
          // A value that writes nothing, so that the connection is kept.
          return { value: Exit.die(defect), rows: [] }
        }
      }
      return {
        accounts: organizations.filter((organization) => !known.has(organization)),
        reads: () => reads.map(({ statement }) => statement()),
        decide,
      }
    }

    let next: ReturnType<typeof attempt> | undefined
    /** The next attempt that reads all rows. */
    const fresh = () => (next ??= attempt(new Map()))
    return {
      home: organizations[0] ?? "",
      accounts: organizations,
      reads: () => fresh().reads(),
      decide: (results, writer) => {
        const { decide } = fresh()
        next = undefined
        return decide(results, writer)
      },
      cached: taken.size === 0 ? undefined : attempt(taken),
    }
  }

const nothing = { rows: [] }
