/**
 * Nodes and their clients in a process that ends at one of its points: `worker.ts ORDER`. It writes each
 * answer at once, so none is lost when it is killed.
 */
import { Store } from "@countersign/core/ports/Store"
import * as Effect from "effect/Effect"
import { writeSync } from "node:fs"
import { Agent, request } from "node:http"
import { text } from "node:stream/consumers"
import { makeNode } from "./engine.ts"
import { makeLoad } from "./Load.ts"
import { parseOrder } from "./order.ts"
import type { Answer, VendorPort } from "./Vendor.ts"

const order = parseOrder(process.argv[2] ?? "")
let left = order.crash?.count ?? Infinity
let isArmed = false

/** Ends the process before its next instruction, if this is the point. */
const pass = (point: string): void => {
  if (!isArmed || point !== order.crash?.point || --left > 0) return
  process.kill(process.pid, "SIGKILL")
  // The signal comes from outside.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
}

const agent = new Agent({ keepAlive: true })

const post = (path: string, body: unknown): Promise<string> =>
  new Promise((resolve, reject) => {
    const outgoing = request(`${order.vendor}${path}`, { agent, method: "POST" }, (response) => {
      text(response).then(resolve, reject)
    })
    outgoing.once("error", reject)
    outgoing.end(JSON.stringify(body))
  })

const codes = new Map<string, string>()

const vendor: VendorPort = {
  ability: order.ability,
  take: async (message) => {
    pass("before the vendor")
    const answer = ((json: string): Answer => JSON.parse(json))(await post("/take", message))
    pass("after the vendor")
    const { code, phoneNumber } = message
    const isDelivered = answer !== "silent" && answer._tag === "Delivered"
    if (isDelivered && code !== undefined) codes.set(phoneNumber, code)
    return answer
  },
  find: async (token) =>
    ((json: string): Awaited<ReturnType<VendorPort["find"]>> => JSON.parse(json))(
      await post("/find", token),
    ),
}

const around = (store: Store["Service"]): Store["Service"] =>
  Store.of({
    ...store,
    execute: (command, options) =>
      Effect.suspend(() => {
        pass(`before ${command._tag}`)
        return Effect.map(store.execute(command, options), (result) => {
          pass(`after ${command._tag}`)
          return result
        })
      }),
  })

const program = Effect.gen(function* () {
  const node = makeNode({ url: order.url, vendor, around })
  const first = yield* node
  const others = yield* Effect.all(Array.from({ length: order.nodes - 1 }, () => node))
  const load = makeLoad({
    nodes: () => [first, ...others],
    seed: order.first,
    first: order.first,
    clients: order.clients,
    codeFor: (phoneNumber) => codes.get(phoneNumber),
    reports: [],
    note: (outcome) => writeSync(1, `${JSON.stringify(outcome)}\n`),
  })
  isArmed = true
  yield* load.run
})

await Effect.runPromise(Effect.scoped(program))
