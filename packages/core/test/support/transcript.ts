/**
 * Decisions in words, so that a row of a table can end in one.
 */
import type { Command, CommandResult, Tag } from "../../src/decide/Command.ts"
import * as Decision from "../../src/decide/Decision.ts"
import type { Event } from "../../src/domain/events/Event.ts"
import * as Money from "../../src/domain/values/Money.ts"
import { defaults } from "../../src/domain/organizations/RecordOptions.ts"

const outcomeInWords = (outcome: CommandResult): string => {
  switch (outcome._tag) {
    case "ClientLimited":
    case "GuessesLimited":
    case "Limited":
    case "TooManyPending":
    case "Cooldown":
      return `${outcome._tag} for ${outcome.retryAfterSeconds} s`
    case "Insufficient":
      return `Insufficient: ${Money.format(outcome.required)} of ${Money.format(outcome.available)}`
    case "Requested":
    case "Followed":
    case "Resent":
    case "Held":
      return `${outcome._tag} as ${outcome.messageSequence}, ${Money.format(outcome.balance)} left`
    case "Verified":
      return `Verified ${outcome.isFirst ? "first" : "again"}`
    case "WrongCode":
      return `WrongCode, ${outcome.attemptsRemaining} left`
    case "Failed":
      return `Failed ${outcome.isFirst ? "first" : "again"}`
    case "Recorded":
      return `Recorded ${outcome.status}, ${Money.format(outcome.balance)} left`
    case "Applied":
      return `Applied, ${outcome.status}`
    case "Reclaimed":
      return `Reclaimed, attempt ${outcome.message.dispatchNumber}`
    case "Posted":
      return `${outcome.isRepeat ? "Posted before" : "Posted"}, ${Money.format(outcome.balance)} left`
    default:
      return outcome._tag
  }
}

const eventInWords = (event: Event): string => {
  switch (event._tag) {
    case "Failed":
      return `Failed by ${event.reason}`
    case "MessageSettled":
      return `MessageSettled ${event.status}`
    case "ToppedUp":
    case "Adjusted":
      return `${event._tag} ${Money.format(event.amount)}, ${Money.format(event.balance)} left`
    case "Refunded":
      return `Refunded ${Money.format(event.amount)}`
    default:
      return event._tag
  }
}

const writesInWords = ({ entries = [], ...writes }: Decision.Writes): string => {
  const rows = Object.entries(writes).flatMap(([name, row]) => (row === undefined ? [] : [name]))
  return [...rows.toSorted(), ...entries.map(({ kind }) => kind)].join(", ")
}

/** As in `Recorded rejected, 1.00 left | writes account, message, release | Refunded 0.50`. */
export const inWords = ({ events, result, writes }: Decision.Decision<CommandResult>): string => {
  const written = writesInWords(writes)
  return [
    outcomeInWords(result),
    ...(written === "" ? [] : [`writes ${written}`]),
    ...(events.length === 0 ? [] : [events.map(eventInWords).join(", ")]),
  ].join(" | ")
}

/** Decides on a command with nothing but the rows that are named. */
export const decide = <T extends Tag>(
  rows: Partial<Decision.View>,
  command: Command<T>,
  now: number,
): Decision.Decision<CommandResult<T>> =>
  Decision.decide(
    {
      account: rows.account,
      recipient: rows.recipient,
      verification: rows.verification,
      message: rows.message,
      payment: rows.payment,
      idempotencyKey: rows.idempotencyKey,
      carrier: rows.carrier,
      prefixStats: rows.prefixStats,
      client: rows.client,
      webhook: undefined,
      queued: undefined,
      queuedRows: [],
      batch: undefined,
      alerts: undefined,
      erased: rows.erased,
      optOuts: rows.optOuts ?? new Map(),
    },
    command,
    now,
    { ...defaults, events: false, audit: false },
  )
