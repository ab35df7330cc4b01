/** Plays the actions of a history. */
import { WebhookDelivery } from "@countersign/core/jobs/WebhookDelivery"
import { AlertChecks } from "@countersign/core/jobs/AlertChecks"
import { Settlement } from "@countersign/core/jobs/Settlement"
import * as Duration from "@countersign/core/domain/values/Duration"
import { MessageId, RequestId } from "@countersign/core/domain/values/Ids"
import * as Money from "@countersign/core/domain/values/Money"
import type { Engine } from "@countersign/core/Engine"
import { Accounts } from "@countersign/core/services/Accounts"
import { Messages } from "@countersign/core/services/Messages"
import { Organizations } from "@countersign/core/services/Organizations"
import { Verifications } from "@countersign/core/services/verifications/Verifications"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { cycled } from "../model/real.ts"
import { typed } from "../model/typedCodes.ts"
import type { Action, Actions } from "./actions.ts"
import { callAll, organizationAt, phoneOf } from "./calls.ts"
import type { History } from "./history.ts"
import type { Machine } from "./machine.ts"
import * as Outbox from "./playOutbox.ts"
import { stop } from "./stage.ts"

/** The request that an action is about, and the organization that calls. */
const requestOf = (
  history: History,
  { isForeign, request }: Pick<Actions["consume"], "isForeign" | "request">,
) => {
  const { requests } = history
  const id = requests.length === 0 ? RequestId(`vrf_${"0".repeat(44)}`) : cycled(requests, request)
  const owner = history.witness.requests.get(id)?.organization
  const own = Math.max(
    0,
    history.organizations.findIndex((one) => one === owner),
  )
  return { id, org: isForeign ? own + 1 : own, code: history.codes.get(id) }
}

const onRequest = <T extends keyof Actions, A, E extends { readonly _tag: string }>(
  history: History,
  action: Pick<Actions["consume"], "count" | "isForeign" | "key" | "node" | "request"> & {
    readonly tag: T
  },
  effect: (
    of: { readonly organization: History["organizations"][number]; readonly requestId: RequestId },
    idempotencyKey: string | undefined,
    code: string | undefined,
  ) => Effect.Effect<A, E, Engine>,
): void => {
  const { code, id, org } = requestOf(history, action)
  const of = { organization: organizationAt(history, org), requestId: id }
  callAll(history, { ...action, org, requestId: id }, (_, key) => effect(of, key, code))
}

/** One round of settlement and its look-ups. */
const settle = Settlement.use(({ lookup, round }) => Effect.andThen(round, lookup)).pipe(
  Effect.ignore,
)

const deliver = (history: History) =>
  WebhookDelivery.use((delivery) =>
    Effect.forEach(history.webhooks, (ref) => Effect.ignore(delivery.deliver(ref)), {
      concurrency: "unbounded",
      discard: true,
    }),
  )

/** The jobs that the engine's background runs. */
export const runJobs = (history: History, machine: Machine): void => {
  history.run(machine, settle)
  history.run(machine, deliver(history))
}

const onMachine = (history: History, node: number, use: (machine: Machine) => void): void => {
  const machine = history.machine(node)
  if (machine !== undefined) use(machine)
}

/** The id of a message, which counts from the newest one that has arrived. */
const arrivedAt = (history: History, place: number): MessageId | undefined => {
  const all = [...history.arrived.keys()].toReversed()
  return all.length === 0 ? undefined : cycled(all, place)
}

const report = (history: History, { by, message, status, times }: Action<"report">): void => {
  const token = arrivedAt(history, message)
  if (token === undefined) return
  const { stage, vendors } = history
  stage.meet(`fault: a report of a ${by}`)
  for (let count = 0; count < times; count++) {
    const [first] = vendors
    const millis = stage.latency()
    if (by === "vendor") {
      for (const vendor of vendors) vendor.reportOn(token, status, millis)
    } else if (by === "stranger") {
      const of = { _tag: "GatewayId", gateway: first.name, gatewayId: "unknown" } as const
      first.report({ of, status, detail: null }, millis)
    } else {
      // The right place in the log, and the token of another message.
      const organization = organizationAt(history, message)
      const forged = MessageId(`msg_${"f".repeat(44)}`)
      const of = { _tag: "Message", organization, sequence: 1 + message, token: forged } as const
      first.report({ of, status, detail: null }, millis)
    }
  }
}

type Players = { readonly [T in keyof Actions]: (history: History, action: Action<T>) => void }

const players: Players = {
  advance: ({ stage }, { millis }) => stage.world.advance(millis),
  message: (history, action) =>
    callAll(history, action, (mark, idempotencyKey) =>
      Messages.use((messages) =>
        messages.send({
          organization: organizationAt(history, action.org),
          phoneNumber: phoneOf(action.person),
          channel: action.channel,
          text: mark,
          idempotencyKey,
        }),
      ),
    ),
  verify: (history, action) =>
    callAll(history, action, (mark, idempotencyKey) =>
      Verifications.use((verifications) =>
        verifications.send({
          organization: organizationAt(history, action.org),
          phoneNumber: phoneOf(action.person),
          channel: action.channel,
          expiresIn: Duration.format(action.expirySeconds * 1_000),
          metadata: JSON.stringify({ mark }),
          idempotencyKey,
        }),
      ),
    ),
  check: (history, action) =>
    onRequest(history, action, (of, _, sent) => {
      const code = Redacted.make(typed(action.isRight ? "right" : "wrong", sent))
      return Verifications.use((verifications) => verifications.check({ ...of, code }))
    }),
  verifyCode: (history, action) =>
    onRequest(history, action, (of, idempotencyKey, sent) => {
      const code = Redacted.make(typed(action.isRight ? "right" : "wrong", sent))
      const input = { ...of, code, idempotencyKey }
      return Verifications.use((verifications) => verifications.verify(input))
    }),
  consume: (history, action) =>
    onRequest(history, action, (of, idempotencyKey) =>
      Verifications.use((verifications) => verifications.consume({ ...of, idempotencyKey })),
    ),
  resend: (history, action) =>
    onRequest(history, action, (of, idempotencyKey) => {
      const input = { ...of, channel: action.channel, idempotencyKey }
      return Verifications.use((verifications) => verifications.resend(input))
    }),
  cancel: (history, action) =>
    onRequest(history, action, (of) =>
      Verifications.use((verifications) => verifications.cancel(of)),
    ),
  status: (history, action) =>
    onRequest(history, action, (of) =>
      Verifications.use((verifications) => verifications.status(of)),
    ),
  queue: Outbox.queue,
  dispatch: Outbox.dispatch,
  cancelQueued: Outbox.cancel,
  reschedule: Outbox.reschedule,
  topUp: (history, action) =>
    callAll(history, { ...action, key: action.payment }, (_, paymentId) =>
      Accounts.use((accounts) =>
        accounts.topUp({
          organization: organizationAt(history, action.org),
          amount: Money.fromUnits(action.units),
          paymentId,
        }),
      ),
    ),
  suspend: (history, { millis, node, org }) => {
    const id = organizationAt(history, org)
    const change = (tag: "resume" | "suspend") => () =>
      onMachine(history, node, (machine) =>
        history.run(machine, Effect.ignore(Organizations.use((service) => service[tag]({ id })))),
      )
    change("suspend")()
    history.stage.world.after(millis, change("resume"))
  },
  examine: (history, { millis, node, spend }) =>
    onMachine(history, node, (machine) => {
      const change = (id: History["organizations"][number]) =>
        Effect.ignore(Organizations.use((_) => _.update({ id, alerts: { spend } })))
      history.run(machine, Effect.forEach(history.organizations, change))
      history.stage.world.advance(millis)
      onMachine(history, node, (next) =>
        history.run(next, Effect.ignore(AlertChecks.use(({ round }) => round))),
      )
    }),
  settle: (history, { node }) =>
    onMachine(history, node, (machine) => history.run(machine, settle)),
  deliver: (history, { node }) =>
    onMachine(history, node, (machine) => history.run(machine, deliver(history))),
  disconnect: ({ calls, stage }, { call }) => {
    const open = calls.filter(({ ending }) => ending === undefined).toReversed()
    if (open.length === 0) return
    stage.meet("fault: a client disconnects")
    cycled(open, call).interrupt()
  },
  report,
  kill: (history, { millis, node }) =>
    onMachine(history, node, (machine) => history.kill(machine.node, millis)),
  pause: (history, { millis, node }) =>
    onMachine(history, node, (machine) => stop(history.stage, machine.node, millis)),
  jump: (history, { millis, node }) => {
    if (node !== "store") {
      history.stage.meet("fault: the clock of a node jumps")
      onMachine(history, node, (machine) => machine.node.jump(millis))
    } else if (history.setup.jumps) {
      history.stage.meet("fault: the clock of the store jumps")
      history.stage.tell(`the store's clock is ${millis} ms ahead`)
      history.store.jump(millis)
    }
  },
  fault: (history, { fault, node, on }) =>
    onMachine(history, node, (machine) =>
      history.store.arm({ node: machine.node.name, fault, on }),
    ),
  restart: (history, { millis }) => {
    history.stage.meet("fault: the store restarts")
    history.stage.tell(`the store restarts, and is away for ${millis} ms`)
    history.store.restart(millis)
  },
  treat: ({ vendors }, { behaviour, count, vendor }) =>
    cycled(vendors, vendor).plan(behaviour, count),
  cut: ({ stage, vendors }, { millis, vendor }) => {
    const cut = cycled(vendors, vendor)
    stage.meet("fault: a gateway is cut")
    stage.tell(`${cut.name} is cut for ${millis} ms`)
    cut.cut(millis)
  },
}

/** Plays one action. Work that it begins may go on. */
export const play = <T extends keyof Actions>(history: History, action: Action<T>): void => {
  const player: (history: History, action: Action<T>) => void = players[action.tag]
  player(history, action)
}
