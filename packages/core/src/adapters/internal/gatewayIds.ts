/** Finds messages by the ids that gateways have given them, for the memory store. */
import * as Order from "effect/Order"
import type { MessageRef } from "../../domain/values/Ids.ts"
import type { GatewayId, Message } from "../../domain/messages/Message.ts"

/** The current message in the store; `undefined` once it was dropped. */
type Read = (ref: MessageRef) => Message | undefined

export class GatewayIds {
  readonly #read: Read
  /** The last gateway id of each message. */
  readonly #ids = new Map<string, GatewayId>()
  /** Gateway ids by gateway and id. Several per key, because gateways may reuse ids. */
  readonly #named = new Map<string, Set<GatewayId>>()

  constructor(read: Read) {
    this.#read = read
  }

  /** Replaces the message's previous id. Drops other ids with the same name that no longer find a message. */
  add(id: GatewayId, now: number): void {
    // Throws for a name that is not text, before any change.
    const name = nameOf(id)
    this.delete(id)
    const named = this.#named.get(name) ?? new Set()
    for (const known of named) if (!this.#isValid(known, now)) this.delete(known)
    this.#named.set(name, named.add(id))
    this.#ids.set(keyOf(id), id)
  }

  delete(message: MessageRef): void {
    const id = this.#ids.get(keyOf(message))
    if (id === undefined) return
    this.#ids.delete(keyOf(message))
    const named = this.#named.get(nameOf(id))
    named?.delete(id)
    if (named?.size === 0) this.#named.delete(nameOf(id))
  }

  /** Finds a message as `Store.locate` does. */
  find(name: Pick<GatewayId, "gateway" | "gatewayId">, now: number): MessageRef | undefined {
    const [first] = [...(this.#named.get(nameOf(name)) ?? [])]
      .filter((id) => this.#isValid(id, now))
      .flatMap((id) => this.#read(id) ?? [])
      .toSorted(openFirst)
    return first && { organization: first.organization, sequence: first.sequence }
  }

  #isValid(id: GatewayId, now: number): boolean {
    return id.expiresAt === null || now < id.expiresAt || (this.#read(id)?.dueAt ?? null) !== null
  }
}

const keyOf = ({ sequence, organization }: MessageRef): string => `${organization} ${sequence}`

const nameOf = ({ gateway, gatewayId }: Pick<GatewayId, "gateway" | "gatewayId">): string =>
  JSON.stringify([gateway, gatewayId])

/** Open messages first, then the newest, then by position, so that the order is total. */
const openFirst = Order.combineAll([
  Order.mapInput(Order.Boolean, ({ dueAt }: Message) => dueAt === null),
  Order.mapInput(Order.Number, ({ createdAt }: Message) => -createdAt),
  Order.mapInput(Order.String, ({ organization }: Message): string => organization),
  Order.mapInput(Order.Number, ({ sequence }: Message) => -sequence),
])
