/**
 * Which part belongs to which message, and what the receipts of the parts make of the message.
 */
import type { DeliveryReport } from "@countersign/core/domain/DeliveryReport"
import type { MessageRef } from "@countersign/core/domain/Ids"
import { asRaw } from "../raw.ts"
import type { Receipt } from "./receipt.ts"

type Told = Pick<DeliveryReport, "status" | "detail" | "raw">

/** A message of which at least one part is on its way. */
export class Carried {
  readonly ref: MessageRef
  /** How many of its parts a receipt is asked for. */
  readonly #awaited: number
  #delivered = 0
  /** The newest receipt that says delivered. */
  #newest: Receipt | undefined
  /** Whether no part can be missing of which no receipt would tell. */
  #isWhole: boolean
  /** Why what arrives is not the message. */
  #broken: string | undefined
  #isFinal = false

  /** @param parts How many there are. When all are awaited, their receipts show that all have left. */
  constructor(ref: MessageRef, awaited: number, parts: number) {
    this.ref = ref
    this.#awaited = awaited
    this.#isWhole = awaited === parts
  }

  /** All parts have left: the receipts that were asked for speak for all of them. */
  complete(): Told | undefined {
    this.#isWhole = true
    return this.#decide()
  }

  /** A part was refused after others were taken, or never leaves: what arrives is not the message. */
  break(why: string): Told | undefined {
    this.#broken = why
    return this.#decide()
  }

  /** What a part's receipt says of the message; `undefined` while other parts have to be heard. */
  hear(receipt: Receipt, isNew: boolean): Told | undefined {
    const { detail, status } = receipt
    const raw = asRaw(receipt.raw)
    if (status === "accepted") return { status, detail, raw }
    if (this.#awaited === 1 && this.#isWhole && this.#broken === undefined) {
      return { status, detail, raw }
    }
    if (this.#isFinal) return undefined
    if (status !== "delivered") {
      this.#isFinal = true
      return { status, detail: `A part: ${detail}`, raw }
    }
    if (isNew) this.#delivered += 1
    this.#newest = receipt
    return this.#decide()
  }

  #decide(): Told | undefined {
    if (this.#isFinal || this.#newest === undefined) return undefined
    const { detail, status } = this.#newest
    const raw = asRaw(this.#newest.raw)
    const isAll = this.#isWhole && this.#delivered === this.#awaited
    this.#isFinal = isAll || this.#broken !== undefined
    if (!this.#isFinal) return undefined
    this.#newest = undefined
    return this.#broken === undefined
      ? { status, detail, raw }
      : { status: "undelivered", detail: this.#broken, raw }
  }
}

/** How many receipts wait for the answer that names their message. */
export const maxEarly = 1_000

interface Early {
  readonly receipt: Receipt
  readonly at: number
}

interface Entry {
  readonly carried: Carried
  isDelivered: boolean
}

const reportsOn = ({ ref }: Carried, told: Told | undefined): ReadonlyArray<DeliveryReport> =>
  told === undefined ? [] : [{ of: { _tag: "Message", ...ref }, ...told }]

/** Remembers parts by their id, the newest of them. */
export class Tracker {
  readonly #gateway: string
  readonly #size: number
  readonly #parts = new Map<string, Entry>()
  /** Receipts that came before the answer to the submit that they are about. */
  readonly #early: Array<Early> = []

  /** @param size How many parts are remembered. */
  constructor(gateway: string, size: number) {
    this.#gateway = gateway
    this.#size = size
  }

  /** A part was taken under this id. Gives what receipts that were early had to say. */
  taken(id: string, carried: Carried): ReadonlyArray<DeliveryReport> {
    this.#parts.delete(id)
    this.#parts.set(id, { carried, isDelivered: false })
    if (this.#parts.size > this.#size) {
      for (const oldest of this.#parts.keys()) {
        this.#parts.delete(oldest)
        break
      }
    }
    const mine = this.#early.filter(({ receipt }) => receipt.id === id)
    if (mine.length === 0) return []
    this.#early.splice(
      0,
      this.#early.length,
      ...this.#early.filter(({ receipt }) => receipt.id !== id),
    )
    return mine.flatMap(({ receipt }) => this.#heard(receipt))
  }

  /** All parts of a message have left. Gives what receipts that came before had to say. */
  complete(carried: Carried): ReadonlyArray<DeliveryReport> {
    return reportsOn(carried, carried.complete())
  }

  /** Some parts of a message were refused or never leave. Gives what that makes of those that arrived. */
  break(carried: Carried, why: string): ReadonlyArray<DeliveryReport> {
    return reportsOn(carried, carried.break(why))
  }

  /**
   * A receipt came in. One on an id that is not known is kept for a while when answers are awaited: it
   * may have overtaken its own.
   */
  receipt(receipt: Receipt, now: number, areAwaited: boolean): ReadonlyArray<DeliveryReport> {
    if (this.#parts.has(receipt.id) || !areAwaited) return this.#heard(receipt)
    this.#early.push({ receipt, at: now })
    return this.#early.length > maxEarly ? this.#release(1) : []
  }

  /** Stops waiting for what explains receipts from before this time. */
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
      // From before a restart, or forgotten: the engine knows the first part of a message by this id.
      const of = { _tag: "GatewayId", gateway: this.#gateway, gatewayId: receipt.id } as const
      return [{ of, status: receipt.status, detail: receipt.detail, raw: asRaw(receipt.raw) }]
    }
    const isNew = receipt.status === "delivered" && !entry.isDelivered
    if (isNew) entry.isDelivered = true
    return reportsOn(entry.carried, entry.carried.hear(receipt, isNew))
  }
}
