import { setNewest } from "@countersign/core/domain/values/BoundedCache"
import type {
  DeliveryReport,
  ReportedMessage,
} from "@countersign/core/domain/messages/DeliveryReport"
import type { Receipt } from "./receipt.ts"

type Emit<Report> = (report: Report) => void

/** Combines the receipts of a message's parts into reports on the message. */
class InFlight {
  readonly #emit: Emit<Omit<Receipt, "id">>
  /** Number of parts with a requested receipt. */
  readonly #awaited: number
  #delivered = 0
  /** The newest receipt with the status delivered. */
  #newest: Receipt | undefined
  /** Whether the receipts prove that no part is missing. */
  #isWhole: boolean
  /** Why the message is incomplete; `undefined` if it is not. */
  #broken: string | undefined
  #isFinal = false

  constructor(emit: Emit<Omit<Receipt, "id">>, awaited: number, parts: number) {
    this.#emit = emit
    this.#awaited = awaited
    this.#isWhole = awaited === parts
  }

  /** All parts were accepted, so the requested receipts represent all of them. */
  complete(): void {
    this.#isWhole = true
    this.#decide()
  }

  /** Some parts were rejected or never sent, so the message is incomplete. */
  break(why: string): void {
    this.#broken = why
    this.#decide()
  }

  /** Applies a part's receipt. */
  hear(receipt: Receipt, isNew: boolean): void {
    const { detail, evidence, status } = receipt
    const isOnly = this.#awaited === 1 && this.#isWhole && this.#broken === undefined
    if (status === "accepted" || isOnly) return this.#emit({ status, detail, evidence })
    if (this.#isFinal) return
    if (status !== "delivered") {
      this.#isFinal = true
      return this.#emit({ status, detail: `A part: ${detail}`, evidence })
    }
    if (isNew) this.#delivered += 1
    this.#newest = receipt
    this.#decide()
  }

  #decide(): void {
    if (this.#isFinal || this.#newest === undefined) return
    const { detail, evidence, status } = this.#newest
    const isAll = this.#isWhole && this.#delivered === this.#awaited
    this.#isFinal = isAll || this.#broken !== undefined
    if (!this.#isFinal) return
    this.#newest = undefined
    this.#emit(
      this.#broken === undefined
        ? { status, detail, evidence }
        : { status: "undelivered", detail: this.#broken, evidence },
    )
  }
}

/** Most receipts that wait for the answer with their id. */
export const maxEarly = 1_000

/** Maps receipts to messages. Remembers the newest parts by id. */
export class ReceiptCorrelator {
  readonly #gateway: string
  readonly #size: number
  readonly #emit: Emit<DeliveryReport>
  readonly #parts = new Map<string, { readonly inFlight: InFlight; isDelivered: boolean }>()
  /** Receipts that arrived before the answer to their submit. */
  #early: Array<{ readonly receipt: Receipt; readonly at: number }> = []

  /** @param size Most parts that are remembered. */
  constructor(gateway: string, size: number, emit: Emit<DeliveryReport>) {
    this.#gateway = gateway
    this.#size = size
    this.#emit = emit
  }

  /** Begins a message. If all of its parts are awaited, their receipts prove that all were sent. */
  begin(ref: ReportedMessage, awaited: number, parts: number): InFlight {
    const of = { _tag: "Message", ...ref } as const
    return new InFlight((report) => this.#emit({ of, ...report }), awaited, parts)
  }

  /** A part was accepted under this id. */
  taken(id: string, inFlight: InFlight): void {
    setNewest(this.#parts, id, { inFlight, isDelivered: false }, this.#size)
    const mine = this.#early.filter(({ receipt }) => receipt.id === id)
    if (mine.length === 0) return
    this.#early = this.#early.filter(({ receipt }) => receipt.id !== id)
    for (const { receipt } of mine) this.#heard(receipt)
  }

  /**
   * Applies a receipt. If its id is unknown and answers are awaited, the receipt is kept for a while: it may
   * have overtaken its answer.
   */
  receipt(receipt: Receipt, now: number, areAwaited: boolean): void {
    if (this.#parts.has(receipt.id) || !areAwaited) return this.#heard(receipt)
    this.#early.push({ receipt, at: now })
    if (this.#early.length > maxEarly) this.#release(1)
  }

  /** Stops keeping receipts from before this time, and reports them by their id. */
  sweep(before: number): void {
    const late = this.#early.findIndex(({ at }) => at >= before)
    this.#release(late === -1 ? this.#early.length : late)
  }

  #release(count: number): void {
    for (const { receipt } of this.#early.splice(0, count)) this.#heard(receipt)
  }

  #heard(receipt: Receipt): void {
    const entry = this.#parts.get(receipt.id)
    if (entry === undefined) {
      const { id: gatewayId, ...report } = receipt
      // From before a restart, or forgotten. The engine knows the first part of a message by this id.
      return this.#emit({ of: { _tag: "GatewayId", gateway: this.#gateway, gatewayId }, ...report })
    }
    const isNew = receipt.status === "delivered" && !entry.isDelivered
    if (isNew) entry.isDelivered = true
    entry.inFlight.hear(receipt, isNew)
  }
}
