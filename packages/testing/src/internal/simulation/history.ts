/** The parts of a history while it is played: the nodes, the store, the vendors, and the calls of clients. */
import type { CodeSecrets } from "@countersign/core/engine/CodeSecrets"
import type * as Engine from "@countersign/core/Engine"
import {
  type MessageId,
  OrganizationId,
  type RequestId,
  WebhookId,
} from "@countersign/core/domain/values/Ids"
import type { Capabilities, GatewayMessage } from "@countersign/core/ports/Gateway"
import type { Store } from "@countersign/core/ports/Store"
import { Webhooks } from "@countersign/core/services/Webhooks"
import * as Money from "@countersign/core/domain/values/Money"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import type { SimulatedNode } from "../../SimulatedWorld.ts"
import * as Samples from "../../Samples.ts"
import * as TestEngine from "../../TestEngine.ts"
import { people } from "../model/scenario.ts"
import { organizations, type Setup } from "./actions.ts"
import {
  gatewayTimeoutMillis,
  limitsOf,
  type Machine,
  startMachine,
  type Surroundings,
} from "./machine.ts"
import { SimulatedReceiver } from "./receiver.ts"
import { SimulatedStore } from "./simulatedStore.ts"
import { SimulatedVendor } from "./simulatedVendor.ts"
import { Stage } from "./stage.ts"
import { CommitWitness } from "./witness.ts"

/** How a call has ended: with a value, with an error, or with a defect or an interruption. */
export type Ending =
  | { readonly _tag: "Answered"; readonly value: string }
  | { readonly _tag: "Refused"; readonly error: string }
  | { readonly _tag: "Ended" }

/** A call of a client. */
export interface ClientCall {
  readonly tag: string
  readonly organization: OrganizationId
  /** The mark in the message's text, or in the request's metadata. Calls with one key have the same mark. */
  readonly mark: string
  readonly key: number | undefined
  /** The input that determines the effect, besides the key. */
  readonly input: string
  readonly requestId: RequestId | undefined
  readonly isForeign: boolean
  readonly machine: Machine
  /** Its place among the beginnings and ends of calls. */
  readonly began: number
  ended: number
  interrupt: () => void
  ending: Ending | undefined
}

const openingBalance = Money.fromUnits(30_000)

const capabilitiesOf = (setup: Setup, channelCheck: boolean): Capabilities => ({
  tokenMillis: setup.honoursToken ? Infinity : 0,
  lookup: setup.lookup,
  lookupByToken: setup.lookup,
  recipientCheck: channelCheck,
  reports: setup.reports,
  references: setup.references,
  segments: false,
  timeoutMillis: gatewayTimeoutMillis,
})

export class History {
  readonly setup: Setup
  readonly stage: Stage
  readonly store: SimulatedStore
  readonly witness: CommitWitness
  readonly receiver: SimulatedReceiver
  readonly vendors: Surroundings["vendors"]
  readonly machines: Array<Machine> = []
  readonly calls: Array<ClientCall> = []
  readonly organizations: ReadonlyArray<OrganizationId>
  readonly codes = new Map<RequestId, string>()
  /** The messages that have reached a phone, with how often. */
  readonly arrived = new Map<MessageId, number>()
  readonly webhooks: Array<{ readonly organization: OrganizationId; readonly id: WebhookId }> = []
  readonly #around: Surroundings
  #started = 0
  #moment = 0

  constructor(setup: Setup, secrets: CodeSecrets["Service"], store: Store["Service"]) {
    this.setup = setup
    const stage = new Stage(setup.seed, Samples.now)
    this.stage = stage
    this.store = new SimulatedStore(stage, store)
    const limits = limitsOf(setup)
    this.witness = new CommitWitness(stage, this.store, this.arrived, limits, !setup.jumps)
    this.receiver = new SimulatedReceiver(stage)
    this.organizations = organizations.map(OrganizationId)
    const kill = (node: SimulatedNode) => this.kill(node, 2_000)
    this.store.kill = kill
    const hooks = {
      arrived: (vendor: SimulatedVendor, message: GatewayMessage) => this.#arrive(vendor, message),
      kill,
      isOnWhatsApp: (phone: string) =>
        people.find((one) => one.phone === phone)?.isOnWhatsApp ?? false,
    }
    const vendor = (name: string, isFirst: boolean) =>
      new SimulatedVendor(stage, name, capabilitiesOf(setup, isFirst), hooks)
    this.vendors = [
      vendor("first", true),
      ...(setup.isRouted ? [vendor("second", false), vendor("third", false)] : []),
    ]
    const { receiver, vendors } = this
    const transport = (node: SimulatedNode) => receiver.transportOf(node)
    this.#around = { stage, setup, store: this.store, vendors, secrets, transport }
    for (let index = 0; index < setup.nodes; index++) this.#start(index)
    this.#open()
    this.store.witness = this.witness
  }

  /** The ids of all requests, the newest first. */
  get requests(): ReadonlyArray<RequestId> {
    return [...this.witness.requests.keys()].toReversed()
  }

  /** The machine with this index, or the next one that lives. */
  machine(index: number): Machine | undefined {
    const { length } = this.machines
    const order = this.machines.map((_, offset) => this.machines[(index + offset) % length])
    return order.find((one) => one !== undefined && one.node.state !== "dead")
  }

  /** Kills a node, and starts another one in its place. */
  kill(node: SimulatedNode, restartAfter: number): void {
    const index = this.machines.findIndex((machine) => machine.node === node)
    if (index < 0 || node.state === "dead") return
    this.stage.meet("fault: a node dies")
    this.stage.tell(`${node.name} dies`)
    node.kill()
    this.stage.world.after(restartAfter, () => this.#start(index))
  }

  /** Runs an effect on a node. A defect in it is a violation. */
  run<A, E>(machine: Machine, effect: Effect.Effect<A, E, Engine.Engine>): void {
    machine.node.run(effect, machine.services, (exit) => {
      if (Exit.hasDies(exit)) this.stage.fail(`a job dies: ${Exit.match(exit, causeText)}`)
    })
  }

  /** Makes a call for a client. */
  call<A, E extends { readonly _tag: string }>(
    call: Omit<ClientCall, "began" | "ended" | "ending" | "interrupt">,
    effect: Effect.Effect<A, E, Engine.Engine>,
  ): void {
    const { machine, mark, organization, tag } = call
    const name = `${tag} of ${organization} on ${machine.node.name} (${mark})`
    const open = { ended: Infinity, ending: undefined, interrupt: () => {} }
    const made: ClientCall = { ...call, ...open, began: (this.#moment += 1) }
    this.calls.push(made)
    made.interrupt = machine.node.run(Effect.result(effect), machine.services, (exit) => {
      if (Exit.hasDies(exit)) this.stage.fail(`${name} dies: ${Exit.match(exit, causeText)}`)
      made.ended = this.#moment += 1
      made.ending = Exit.match(exit, {
        onFailure: (): Ending => ({ _tag: "Ended" }),
        onSuccess: (result): Ending =>
          result._tag === "Success"
            ? { _tag: "Answered", value: JSON.stringify(result.success) ?? "" }
            : { _tag: "Refused", error: result.failure._tag },
      })
      const what = made.ending._tag === "Refused" ? made.ending.error : made.ending._tag
      this.stage.meet(`answer: ${tag} ${what}`)
      if (made.ending._tag === "Refused") this.stage.meet(`error: ${what}`)
      this.stage.tell(`${name}: ${what}`)
    })
  }

  #start(index: number): void {
    this.#started += 1
    const name = `node ${index + 1}.${this.#started}`
    const seed = this.setup.seed ^ Math.imul(this.#started, 0x9e3779b1)
    this.machines[index] = startMachine(this.#around, name, seed)
    this.stage.tell(`${name} starts`)
  }

  /** Opens the organizations, before anything fails. */
  #open(): void {
    const [machine] = this.machines
    if (machine === undefined) throw new Error("There is no node")
    const open = Effect.forEach(this.organizations, (id) =>
      Effect.gen({ self: this }, function* () {
        yield* TestEngine.open({ id, balance: openingBalance })
        const { create } = yield* Webhooks
        const webhook = yield* create({ organization: id, url: "https://receiver.test/", after: 0 })
        this.webhooks.push({ organization: id, id: WebhookId(webhook.id) })
      }),
    )
    this.run(machine, Effect.orDie(open))
    this.stage.world.advance(60_000)
    if (this.webhooks.length < this.organizations.length)
      throw new Error("The history does not begin")
  }

  /** A message has reached a phone: it was charged before, and it comes once (I6, I7). */
  #arrive(vendor: SimulatedVendor, { code, ref, token }: GatewayMessage): void {
    const times = (this.arrived.get(token) ?? 0) + 1
    this.arrived.set(token, times)
    const name = `${ref.organization} ${ref.sequence}`
    if (times > 1) this.stage.fail(`I7: message ${name} has arrived ${times} times`)
    const row = this.store.now((store) => store.message(ref))?.message
    if (row === undefined || row.id !== token) {
      return this.stage.fail(`I6: message ${name} is sent by ${vendor.name} and not in the log`)
    }
    if (row.charge > 0 && row.hold !== "open" && !this.store.hasJumpedAhead) {
      this.stage.fail(`I6: message ${name} is sent by ${vendor.name}, and its hold is ${row.hold}`)
    }
    this.witness.outbox.arrived(row.requestId ?? row.id, row.sequence)
    if (code !== undefined && row.requestId !== null) {
      this.codes.set(row.requestId, Redacted.value(code))
    }
    return undefined
  }
}

const causeText = {
  onFailure: (cause: unknown) => String(cause),
  onSuccess: () => "",
}
