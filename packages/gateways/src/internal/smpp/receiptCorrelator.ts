/**
 * Maps parts to their messages, and combines the parts' receipts into reports on the message.
 */
import { setNewest } from "@countersign/core/domain/BoundedCache"
import type { DeliveryReport } from "@countersign/core/domain/DeliveryReport"
import type { MessageRef } from "@countersign/core/domain/Ids"
import type { Receipt } from "./receipt.ts"

type StatusUpdate = Pick<DeliveryReport, "status" | "detail" | "evidence">

/** A message with at least one part in progress. */
export class InFlight {
  readonly ref: MessageRef
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

  /** @param parts Number of parts. If all are awaited, their receipts prove that all were sent. */
  constructor(ref: MessageRef, awaited: number, parts: number) {
    this.ref = ref
    this.#awaited = awaited
    this.#isWhole = awaited === parts
  }

  /** All parts were accepted, so the requested receipts represent all of them. */
  complete(): StatusUpdate | undefined {
    this.#isWhole = true
    return this.#decide()
  }

  /** Some parts were rejected or never sent, so the message is incomplete. */
  break(why: string): StatusUpdate | undefined {
    this.#broken = why
    return this.#decide()
  }

  /** Applies a part's receipt. Returns the message's report; `undefined` until further parts are known. */
  hear(receipt: Receipt, isNew: boolean): StatusUpdate | undefined {
    const { detail, evidence, status } = receipt
    if (status === "accepted") return { status, detail, evidence }
    if (this.#awaited === 1 && this.#isWhole && this.#broken === undefined) {
      return { status, detail, evidence }
    }
    if (this.#isFinal) return undefined
    if (status !== "delivered") {
      this.#isFinal = true
      return { status, detail: `A part: ${detail}`, evidence }
    }
    if (isNew) this.#delivered += 1
    this.#newest = receipt
    return this.#decide()
  }

  #decide(): StatusUpdate | undefined {
    if (this.#isFinal || this.#newest === undefined) return undefined
    const { detail, evidence, status } = this.#newest
    const isAll = this.#isWhole && this.#delivered === this.#awaited
    this.#isFinal = isAll || this.#broken !== undefined
    if (!this.#isFinal) return undefined
    this.#newest = undefined
    return this.#broken === undefined
      ? { status, detail, evidence }
      : { status: "undelivered", detail: this.#broken, evidence }
  }
}

/** Most receipts that wait for the answer with their id. */
export const maxEarly = 1_000

interface Early {
  readonly receipt: Receipt
  readonly at: number
}

interface Entry {
  readonly inFlight: InFlight
  isDelivered: boolean
}

const reportsOn = (
  { ref }: InFlight,
  told: StatusUpdate | undefined,
): ReadonlyArray<DeliveryReport> =>
  told === undefined ? [] : [{ of: { _tag: "Message", ...ref }, ...told }]

/** Remembers the newest parts by id. */
export class ReceiptCorrelator {
  readonly #gateway: string
  readonly #size: number
  readonly #parts = new Map<string, Entry>()
  /** Receipts that arrived before the answer to their submit. */
  readonly #early: Array<Early> = []

  /** @param size Most parts that are remembered. */
  constructor(gateway: string, size: number) {
    this.#gateway = gateway
    this.#size = size
  }

  /** A part was accepted under this id. Returns the reports of its early receipts. */
  taken(id: string, inFlight: InFlight): ReadonlyArray<DeliveryReport> {
    setNewest(this.#parts, id, { inFlight, isDelivered: false }, this.#size)
    const mine = this.#early.filter(({ receipt }) => receipt.id === id)
    if (mine.length === 0) return []
    this.#early.splice(
      0,
      this.#early.length,
      ...this.#early.filter(({ receipt }) => receipt.id !== id),
    )
    return mine.flatMap(({ receipt }) => this.#heard(receipt))
  }

  /** All parts of a message were accepted. Returns the reports of earlier receipts. */
  complete(inFlight: InFlight): ReadonlyArray<DeliveryReport> {
    return reportsOn(inFlight, inFlight.complete())
  }

  /** Some parts of a message were rejected or never sent. Returns the reports on the parts that arrived. */
  break(inFlight: InFlight, why: string): ReadonlyArray<DeliveryReport> {
    return reportsOn(inFlight, inFlight.break(why))
  }

  /**
   * Applies a receipt. If its id is unknown and answers are awaited, the receipt is kept for a while: it may
   * have overtaken its answer.
   */
  receipt(receipt: Receipt, now: number, areAwaited: boolean): ReadonlyArray<DeliveryReport> {
    if (this.#parts.has(receipt.id) || !areAwaited) return this.#heard(receipt)
    this.#early.push({ receipt, at: now })
    return this.#early.length > maxEarly ? this.#release(1) : []
  }

  /** Stops keeping receipts from before this time, and reports them by their id. */
  sweep(before: number): ReadonlyArray<DeliveryReport> {
    const late = this.#early.findIndex(({ at }) => at >= before)
    return this.#release(late === -1 ? this.#early.length : late)
  }

  #release(count: number): ReadonlyArray<DeliveryReport> {
    return this.#early.splice(0, count).flatMap(({ receipt }) => this.#heard(receipt))
  }

  #heard(receipt: Receipt): ReadonlyArray<DeliveryReport> {
    const entry = this.#parts.get(receipt.id)
    if (entry === undefined) {
      // From before a restart, or forgotten. The engine knows the first part of a message by this id.
      const of = { _tag: "GatewayId", gateway: this.#gateway, gatewayId: receipt.id } as const
      const { detail, evidence, status } = receipt
      return [{ of, status, detail, evidence }]
    }
    const isNew = receipt.status === "delivered" && !entry.isDelivered
    if (isNew) entry.isDelivered = true
    return reportsOn(entry.inFlight, entry.inFlight.hear(receipt, isNew))
  }
}
