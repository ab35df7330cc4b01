/**
 * The money of the naive model: balances, bookings, and the log of each organization.
 */
import { messageState, type ModelMessage, ModelOrganization } from "./messageState.ts"
import type { ModelQueued } from "./queuedSends.ts"
import { dayOf } from "./guards.ts"
import { type Action, type Config, openingBalances, settleMillis } from "./scenario.ts"

export class Books {
  now: number
  readonly config: Config
  readonly organizations: ReadonlyArray<ModelOrganization>
  /** The sends that hosts have queued, in the order of their commits. */
  readonly queued: Array<ModelQueued> = []

  constructor(config: Config, now: number) {
    this.config = config
    this.now = now
    this.organizations = openingBalances.map((units) => new ModelOrganization(units))
  }

  org(index: number): ModelOrganization {
    const found = this.organizations[index]
    if (found === undefined) throw new Error(`The model has no organization ${index}`)
    return found
  }

  get allMessages(): ReadonlyArray<ModelMessage> {
    return this.organizations.flatMap(({ messages }) => messages)
  }

  messageState(message: ModelMessage) {
    return messageState(message, this.config)
  }

  balance(org: number): number {
    const { bookings, messages } = this.org(org)
    const paidIn = bookings.reduce((sum, { units }) => sum + units, 0)
    return messages.reduce((left, message) => left - this.messageState(message).price, paidIn)
  }

  held(org: number): number {
    const open = this.org(org).messages.filter((message) => !this.messageState(message).isFinal)
    return open.reduce((sum, { price }) => sum + price, 0)
  }

  /** Returns why a price cannot be paid now; `undefined` if it can. */
  protected unpayable(org: number, price: number): string | undefined {
    const { spendPerDay } = this.config
    const today = this.org(org).messages.filter(
      ({ createdAt }) => dayOf(createdAt) === dayOf(this.now),
    )
    const spent = today.reduce((sum, message) => sum + this.messageState(message).price, 0)
    if (price > 0 && spendPerDay !== null && spent + price > spendPerDay) {
      return `RateLimited ${Math.ceil(((dayOf(this.now) + 1) * settleMillis - this.now) / 1_000)}`
    }
    const balance = this.balance(org)
    return price > balance ? `InsufficientBalance ${price} of ${balance}` : undefined
  }

  book({ org, payment, tag, units }: Action<"topUp" | "adjust">): string {
    if (tag === "topUp" ? units <= 0 : units === 0) return "InvalidRequest amount"
    const { bookings } = this.org(org)
    const balance = this.balance(org)
    const first = bookings.find((one) => payment !== null && one.payment === payment)
    if (first?.tag === tag && first.units === units) return `${balance} left`
    if (first !== undefined) return "InvalidRequest paymentId"
    if (balance + units < 0) return `InsufficientBalance ${-units} of ${balance}`
    bookings.push({ tag, units, payment })
    return `${balance + units} left`
  }

  /** The messages that have not been removed. */
  log(org: number): ReadonlyArray<ModelMessage> {
    const { dropped, messages } = this.org(org)
    return messages.slice(dropped)
  }
}
