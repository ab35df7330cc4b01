/** Watches the examinations of organizations. Shares no rule with the engine: it knows the documents' times. */
import type { Command, CommandResult } from "@countersign/core/decide/Command"
import type { AlertName } from "@countersign/core/domain/alerts/AlertTable"
import type { OrganizationId } from "@countersign/core/domain/values/Ids"
import type { SimulatedStore } from "./simulatedStore.ts"
import type { Stage } from "./stage.ts"

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** An alert, as the witness has seen it. */
interface Known {
  isOpen: boolean
  raisedAt: number
}

export class AlertWitness {
  readonly #stage: Stage
  readonly #store: SimulatedStore
  /** An examination writes no account, so its time is known only while no clock of the store jumps. */
  readonly #isTimeKnown: boolean
  readonly #examined = new Map<OrganizationId, number>()
  readonly #alerts = new Map<string, Known>()

  constructor(stage: Stage, store: SimulatedStore, isTimeKnown: boolean) {
    this.#stage = stage
    this.#store = store
    this.#isTimeKnown = isTimeKnown
  }

  after(command: Command, result: CommandResult): void {
    if (command._tag !== "CheckAlerts" || !this.#isTimeKnown) return
    const { now } = this.#stage.world
    const { bounds, organization, values } = command
    const last = this.#examined.get(organization)
    const isDue = last === undefined || now - last >= minute
    if (result._tag === "NotDue" && isDue) {
      this.#stage.fail(`I38: ${organization} is due since ${last}, and is not examined`)
    }
    if (result._tag !== "AlertsChecked") return
    if (!isDue) this.#stage.fail(`I38: ${organization} is examined twice in a minute`)
    this.#examined.set(organization, now)
    const spend = this.#spent(organization, now)
    this.#judge(organization, "delivered", isBelow(values.delivered, bounds.delivered), now)
    this.#judge(organization, "verified", isBelow(values.verified, bounds.verified), now)
    this.#judge(organization, "spend", isBelow(bounds.spend, spend), now)
    this.#judge(organization, "webhooks", isBelow(bounds.webhooks, values.webhooks), now)
    for (const { alert, isOpen, raisedAt } of result.alerts.states) {
      const known = this.#alerts.get(`${organization} ${alert}`)
      if (known?.isOpen !== isOpen || known.raisedAt !== raisedAt) {
        this.#stage.fail(
          `I38: ${alert} of ${organization} is ${isOpen ? "open" : "over"} since ${raisedAt}, ` +
            `and should be ${JSON.stringify(known)}`,
        )
      }
    }
    const { length } = [...this.#alerts.keys()].filter((key) => key.startsWith(`${organization} `))
    if (length !== result.alerts.states.length) {
      this.#stage.fail(`I38: ${organization} has ${result.alerts.states.length} alerts`)
    }
  }

  /** An alert opens once, is over when its value has come back, and opens again an hour after it was raised. */
  #judge(organization: OrganizationId, alert: AlertName, isWrong: boolean, now: number): void {
    const key = `${organization} ${alert}`
    const known = this.#alerts.get(key)
    const meet = (what: string) => this.#stage.meet(`alert: ${what}`)
    if (known === undefined) {
      if (!isWrong) return
      this.#alerts.set(key, { isOpen: true, raisedAt: now })
      return meet("raised")
    }
    if (!isWrong) {
      if (known.isOpen) meet("over")
      known.isOpen = false
    } else if (known.isOpen) {
      meet("still open")
    } else if (now - known.raisedAt < hour) {
      meet("paused")
    } else {
      this.#alerts.set(key, { isOpen: true, raisedAt: now })
      meet("raised again")
    }
  }

  /** The charges of the day that were not given back. */
  #spent(organization: OrganizationId, now: number): number {
    const from = now - (now % day)
    const query = { from, to: undefined, skip: 0, limit: 1_000 }
    const messages = this.#store.now((store) => store.messages(organization, query))?.messages ?? []
    return messages.reduce((sum, { charge, hold }) => (hold === "released" ? sum : sum + charge), 0)
  }
}

/** `null`: there is nothing to compare. */
const isBelow = (value: number | null, bound: number | null): boolean =>
  value !== null && bound !== null && value < bound
