/**
 * Watches the outbox: what hosts have queued, what nodes take, and how each send ends. Shares no rule with the engine:
 * claims and times follow from what it sees.
 */
import type { Command, CommandResult } from "@countersign/core/decide/Command"
import type { Message } from "@countersign/core/domain/messages/Message"
import type { End, NewQueuedSend, QueuedSend } from "@countersign/core/domain/outbox/QueuedSend"
import { type OrganizationId, requestIdPrefix } from "@countersign/core/domain/values/Ids"
import type { SimulatedStore } from "./simulatedStore.ts"
import type { Stage } from "./stage.ts"

/** A send, as the witness has seen it. */
interface Known {
  readonly send: NewQueuedSend
  /** Whether the host's transaction rolls back, so that no node may ever see the send. */
  readonly isRolledBack: boolean
  /** Its place among those that were added; `undefined` until then. */
  position: number | undefined
  claim: number
  dueAt: number
  end: End | undefined
  sequence: number | undefined
  /** Until when the node that has charged its message may be sending it. */
  sendingUntil: number
  /** Whether a caller has sent it, who does not wait for those before it. */
  isDispatched: boolean
}

type Outcome = CommandResult["_tag"]

/** Results that come before the send is looked at. */
const before: ReadonlySet<string> = new Set(["NoAccount", "Stale"] satisfies ReadonlyArray<Outcome>)

export class OutboxWitness {
  readonly #stage: Stage
  readonly #store: SimulatedStore
  /** Whether no clock of the store jumps, so that no lease ends early. */
  readonly #isTimeKnown: boolean
  readonly #sends = new Map<string, Known>()
  #added = 0

  constructor(stage: Stage, store: SimulatedStore, isTimeKnown: boolean) {
    this.#stage = stage
    this.#store = store
    this.#isTimeKnown = isTimeKnown
  }

  /** The sends that hosts have prepared, the newest first. */
  get sends(): ReadonlyArray<NewQueuedSend> {
    return [...this.#sends.values()].map(({ send }) => send).toReversed()
  }

  /** Those that were added and have not ended. */
  get open(): ReadonlyArray<NewQueuedSend> {
    return this.sends.filter(({ id }) => {
      const { end, position } = this.#sends.get(id) ?? {}
      return position !== undefined && end === undefined
    })
  }

  has(id: string | null): boolean {
    return id !== null && this.#sends.has(id)
  }

  prepared(send: NewQueuedSend, isRolledBack: boolean): void {
    this.#sends.set(send.id, {
      send,
      isRolledBack,
      position: undefined,
      claim: 0,
      dueAt: send.dueAt,
      end: undefined,
      sequence: undefined,
      sendingUntil: 0,
      isDispatched: false,
    })
  }

  enqueued(sends: ReadonlyArray<NewQueuedSend>): void {
    for (const { id } of sends) {
      const known = this.#sends.get(id)
      if (known !== undefined) known.position ??= this.#added += 1
    }
  }

  taken(rows: ReadonlyArray<QueuedSend>): void {
    const now = this.#store.latest
    for (const { claim, dueAt, id } of rows) {
      const known = this.#sends.get(id)
      if (known?.position === undefined) {
        this.#stage.fail(`I33: ${id} is taken and was not committed`)
        continue
      }
      const isSending = known.end === "sent" && known.send.orderKey !== null
      if (known.end !== undefined && !isSending) {
        this.#stage.fail(`I33: ${id} is taken and has ended`)
      }
      if (known.dueAt > now) this.#stage.fail(`I33: ${id} is taken ${known.dueAt - now} ms early`)
      const first = this.#openBefore(known)
      if (first !== undefined) this.#stage.fail(`I33: ${id} is taken before ${first.send.id}`)
      const how = isSending ? "to be released" : known.claim === 0 ? "for the first time" : "again"
      this.#stage.meet(`outbox: taken ${how}`)
      known.claim += 1
      known.dueAt = dueAt ?? 0
      if (claim !== known.claim) this.#stage.fail(`I33: ${id} has the claim ${claim}`)
    }
  }

  after(command: Command, result: CommandResult): void {
    if (!("queued" in command) || command.queued === undefined || before.has(result._tag)) return
    const { claim, id } = command.queued
    const known = this.#sends.get(id)
    const isMine = known !== undefined && (claim === undefined || claim === known.claim)
    const isOpen = isMine && known.position !== undefined && known.end === undefined
    if (result._tag === "NotQueued") {
      const isLate = isMine && (known.send.expiresAt ?? Infinity) <= this.#store.latest
      // A node whose clock is ahead takes it for late.
      if (isOpen && !isLate && "end" in command && command.end === "expired") return
      if (isOpen && !isLate) {
        this.#stage.fail(`I33: ${id} is open, and its ${command._tag} is refused`)
      }
      this.#stage.meet(isMine ? "outbox: a command after the end" : "outbox: an old claim")
      return
    }
    if (known === undefined || !isOpen) {
      const state =
        known?.position === undefined ? "not committed" : (known.end ?? "of another node")
      return this.#stage.fail(`I33: ${command._tag} of ${id}, which is ${state}: ${result._tag}`)
    }
    if (command._tag === "EndQueued") this.#end(known, command.end)
    if (command._tag === "MoveQueued") {
      known.claim += 1
      known.dueAt = command.dueAt
      this.#stage.meet("outbox: moved")
    }
    if ("draft" in command && "messageSequence" in result) {
      known.isDispatched = claim === undefined
      known.sequence = result.messageSequence
      known.sendingUntil = this.#stage.world.now + command.draft.leaseMillis
      // The lease is that of the organization's time, which stands still while the clock is behind it.
      known.dueAt = this.#isTimeKnown ? known.sendingUntil : 0
      this.#end(known, "sent")
      if (known.isDispatched) this.#stage.meet("outbox: sent by its caller")
    }
  }

  /** A message of the log has reached a phone: no later one with its order key came before it. */
  arrived(id: string, sequence: number): void {
    const known = this.#sends.get(id)
    if (known?.sequence !== sequence) return
    const isInTime = this.#isTimeKnown && this.#stage.world.now < known.sendingUntil
    for (const other of this.#sends.values()) {
      if (other.isDispatched || !isInTime || !isBefore(known, other)) continue
      if (other.end === "sent") this.#stage.fail(`I33: ${other.send.id} has overtaken ${id}`)
    }
  }

  /** Each send that was committed has ended once, and those that were not have left nothing. */
  check(organization: OrganizationId, messages: ReadonlyArray<Message>): void {
    for (const { end, isRolledBack, position, send, sequence } of this.#sends.values()) {
      const { id } = send
      if (send.organization !== organization) continue
      const row = this.#store.now((store) => store.queued(organization, id))
      const own = messages.filter((message) => message.id === id || message.requestId === id)
      if (isRolledBack && position !== undefined) {
        this.#stage.fail(`I33: ${id} was rolled back, and is in the outbox`)
      }
      if (position === undefined) {
        if (own.length > 0 || row !== undefined) this.#stage.fail(`I33: ${id} was not committed`)
        continue
      }
      if (row?.end !== end || row?.end === null || row?.dueAt !== null) {
        this.#stage.fail(
          `I33: ${id} is ${row?.end ?? "queued"} at the end, due ${row?.dueAt}, and was ${end}`,
        )
      }
      const first = own[0]
      if ((end === "sent") !== (first !== undefined)) {
        this.#stage.fail(`I33: ${id} is ${end} and has ${own.length} messages`)
      }
      // A code may have further messages: resends, and an SMS after WhatsApp.
      if (first?.requestId === null && own.length > 1) {
        this.#stage.fail(`I33: ${id} has ${own.length} messages`)
      }
      const charged = own.find((message) => message.sequence === sequence)
      if (first !== undefined && charged === undefined) {
        this.#stage.fail(`I33: ${id} does not have the message ${sequence}`)
      }
      if (charged !== undefined && (send.expiresAt ?? Infinity) <= charged.createdAt) {
        this.#stage.fail(`I33: ${id} is sent after its time`)
      }
    }
  }

  isCode(id: string): boolean {
    return id.startsWith(requestIdPrefix)
  }

  /** How a send has ended. */
  endOf(id: string): End | undefined {
    return this.#sends.get(id)?.end
  }

  #end(known: Known, end: End): void {
    known.end = end
    this.#stage.meet(`outbox: ${end}`)
    const { expiresAt, id } = known.send
    if (end === "expired" && (expiresAt ?? Infinity) > this.#store.latest) {
      this.#stage.fail(`I33: ${id} is dropped before its time`)
    }
  }

  #openBefore(known: Known): Known | undefined {
    return [...this.#sends.values()].find((one) => isBefore(one, known) && one.end === undefined)
  }
}

/** Whether two sends have one order key, and the first was added before the second. */
const isBefore = (one: Known, other: Known): boolean =>
  one.send.orderKey !== null &&
  one.send.orderKey === other.send.orderKey &&
  one.send.organization === other.send.organization &&
  one.position !== undefined &&
  other.position !== undefined &&
  one.position < other.position
