/**
 * Plays one history: several clients of an organization, who share its requests, its balance and its idempotency keys.
 * A seed determines what they do. The service determines in which order it happens.
 */
import * as Linearizability from "@countersign/testing/Linearizability"
import * as TestCrypto from "@countersign/testing/TestCrypto"
import { type Answer, describe, type History, type Input, refusedNumber, textAt } from "./calls.ts"

/** Draws an integer from 0 to below `size`. */
export type Draw = (size: number) => number

export const drawing = (seed: number): Draw => {
  const bytes = TestCrypto.seededBytes(seed)
  return (size) => {
    const [a = 0, b = 0, c = 0] = bytes(3)
    return ((a << 16) | (b << 8) | c) % size
  }
}

export interface Sending {
  readonly method: "GET" | "POST"
  readonly path: string
  readonly body?: object
  readonly idempotencyKey?: string | undefined
}

/** Reads the answer of the HTTP interface. */
export const answerOf = async (response: Response): Promise<Answer> => ({
  status: response.status,
  code: response.headers.get("countersign-error") ?? "ok",
  isFirst: response.headers.get("countersign-first") === "true",
  body: await response.json(),
})

/** An organization of a service with several nodes. */
export interface Place {
  /** Makes a request to a node. `undefined`: no answer came, because the client hung up or the node was killed. */
  readonly request: (
    node: number,
    sending: Sending,
    hangsUp: boolean,
  ) => Promise<Answer | undefined>
  /** Books a payment as an operator. */
  readonly topUp: (node: number, units: number, payment: string) => Promise<Answer | undefined>
  /** The code that a phone has received; `undefined` if its node was killed. */
  readonly codeOf: (phoneNumber: string) => Promise<string | undefined>
  /** A phone number that no other history uses. */
  readonly newNumber: () => string
  /** Moves the clock to the expiry of all requests; `undefined` if the service has a clock of its own. */
  readonly expire?: (() => Promise<void>) | undefined
  /** Called after each answer, so that a service can fail at a number of them. */
  readonly answered?: (() => void) | undefined
}

export interface Options {
  readonly clients: number
  readonly callsPerClient: number
  /** One in so many calls loses its answer. 0: none does. */
  readonly lost: number
}

interface Request {
  readonly id: string
  readonly code: string | undefined
}

interface Key {
  readonly key: string
  readonly phoneNumber: string
}

const sendingOf = (input: Input, code: string): Sending => {
  switch (input.name) {
    case "verify": {
      const body = { phone_number: input.phoneNumber, expiry: expirySeconds }
      return { method: "POST", path: "/verify", body, idempotencyKey: input.key }
    }
    case "check":
      return { method: "POST", path: "/verify/check", body: { request_id: input.requestId, code } }
    case "status":
      return { method: "GET", path: `/verify/${input.requestId}` }
    case "resend":
    case "cancel":
    case "consume":
      return { method: "POST", path: `/verify/${input.requestId}/${input.name}`, body: {} }
    case "send": {
      const body = { to: input.phoneNumber, message: input.text }
      return { method: "POST", path: "/messages", body, idempotencyKey: input.key }
    }
    case "balance":
      return { method: "GET", path: "/balance" }
    case "log":
      return { method: "GET", path: "/messages?limit=200" }
    default:
      throw new Error(`${input.name} is no request`)
  }
}

/** The validity of each code. `Place.expire` moves the clock by as much. */
export const expirySeconds = 3_600

/** Matches no code: codes have six digits. */
const noCode = "0000000"

const wrong = (code: string): string =>
  code.replace(/^./, (digit) => String((Number(digit) + 1) % 10))

/** The first top-up, and each later one: so small that sends are refused for an empty balance. */
const amounts = { first: 120_000, later: 15_000 } as const

/** The answers that the models know. */
const known = new Set([
  "ok",
  "wrong_code",
  "attempts_exhausted",
  "request_expired",
  "already_verified",
  "not_verified",
  "already_consumed",
  "resends_exhausted",
  "insufficient_balance",
  "idempotency_mismatch",
  "idempotency_in_flight",
  "sending_failed",
  // Its outcome is not known.
  "unavailable",
])

/** How often each call is made. */
const mix: ReadonlyArray<readonly [weight: number, name: Input["name"] | "keyed"]> = [
  [9, "verify"],
  [26, "check"],
  [5, "resend"],
  [2, "cancel"],
  [9, "consume"],
  [15, "status"],
  [10, "send"],
  [12, "keyed"],
  [9, "balance"],
  [3, "topUp"],
]

const total = mix.reduce((sum, [weight]) => sum + weight, 0)

const nameFrom = (draw: Draw): Input["name"] | "keyed" => {
  let rest = draw(total)
  for (const [weight, name] of mix) {
    rest -= weight
    if (rest < 0) return name
  }
  return "status"
}

/** The newest requests are those that clients call about, so that calls on the same request meet. */
const newest = 3

class Player {
  readonly #place: Place
  readonly #draw: Draw
  readonly #lost: number
  readonly #recorder = Linearizability.recorder<Input, Answer>()
  readonly #requests: Array<Request> = []
  readonly #keys: Array<Key> = []
  #payments = 0

  constructor(place: Place, draw: Draw, lost: number) {
    this.#place = place
    this.#draw = draw
    this.#lost = lost
  }

  history(): History {
    return this.#recorder.calls()
  }

  async #record(
    client: string,
    input: Input,
    ask: () => Promise<Answer | undefined>,
  ): Promise<Answer | undefined> {
    const done = this.#recorder.begin(client, input)
    const answer = await ask()
    if (answer === undefined) return undefined
    if (!known.has(answer.code)) throw new Error(`Unexpected: ${describe(input, answer)}`)
    if (answer.code === "unavailable") return undefined
    done(answer)
    this.#place.answered?.()
    return answer
  }

  async request(client: string, input: Input, code = ""): Promise<Answer | undefined> {
    const hangsUp = this.#lost > 0 && this.#draw(this.#lost) === 0
    const node = this.#draw(2)
    return this.#record(client, input, () =>
      this.#place.request(node, sendingOf(input, code), hangsUp),
    )
  }

  async topUp(client: string, units: number): Promise<void> {
    // Some payments are booked again.
    if (this.#draw(3) > 0) this.#payments += 1
    const payment = `${units} units, ${this.#payments}`
    const node = this.#draw(2)
    await this.#record(client, { name: "topUp", units, payment }, () =>
      this.#place.topUp(node, units, payment),
    )
  }

  async expire(): Promise<void> {
    const { expire } = this.#place
    if (expire === undefined) return
    await this.#record("clock", { name: "expire" }, async () => {
      await expire()
      return { status: 200, code: "ok", isFirst: false, body: {} }
    })
  }

  async #verify(client: string, { key, phoneNumber }: Partial<Key>): Promise<void> {
    const number = phoneNumber ?? this.#place.newNumber()
    const answer = await this.request(client, { name: "verify", phoneNumber: number, key })
    const id = textAt(answer?.body, "data", "request_id")
    if (id === undefined || this.#requests.some((one) => one.id === id)) return
    this.#requests.push({ id, code: await this.#place.codeOf(number) })
  }

  /** A call with a key that others use at the same time. */
  async #keyed(client: string): Promise<void> {
    if (this.#keys.length === 0 || this.#draw(4) === 0) {
      const key = `key ${this.#keys.length}`
      this.#keys.push({ key, phoneNumber: this.#place.newNumber() })
    }
    const one = this.#keys[Math.max(0, this.#keys.length - 1 - this.#draw(2))]
    if (one === undefined) return
    // Each key is of one endpoint, because the log counts both by the phone number.
    if (Number(one.key.slice(-1)) % 3 === 0) return this.#verify(client, one)
    const text = this.#draw(5) === 0 ? "another text" : "a text"
    await this.request(client, { name: "send", ...one, text })
  }

  async step(client: string): Promise<void> {
    const drawn = nameFrom(this.#draw)
    const last = this.#requests.length
    const request = this.#requests[Math.max(0, last - 1 - this.#draw(newest))]
    if (drawn === "keyed") return this.#keyed(client)
    if (drawn === "verify" || (request === undefined && drawn !== "topUp")) {
      return this.#verify(client, {})
    }
    if (drawn === "topUp" || request === undefined) return this.topUp(client, amounts.later)
    const { code, id: requestId } = request
    switch (drawn) {
      case "check": {
        const isRight = code !== undefined && this.#draw(4) === 0
        const typed = code === undefined ? noCode : isRight ? code : wrong(code)
        await this.request(client, { name: "check", requestId, isRight }, typed)
        return
      }
      case "send": {
        const phoneNumber = this.#draw(6) === 0 ? refusedNumber : this.#place.newNumber()
        await this.request(client, { name: "send", phoneNumber, text: "a text" })
        return
      }
      case "balance":
        await this.request(client, { name: "balance" })
        return
      case "resend":
      case "cancel":
      case "consume":
      case "status":
        await this.request(client, { name: drawn, requestId })
        return
    }
  }

  async start(): Promise<void> {
    await this.topUp("operator", amounts.first)
  }

  /** Reads everything once more, on both nodes. */
  async end(): Promise<void> {
    for (const { id: requestId } of this.#requests) {
      await this.request("last", { name: "status", requestId })
    }
    await this.request("last", { name: "balance" })
    await this.request("last", { name: "log" })
  }
}

/** Plays a history, and returns its record. */
export const play = async (
  place: Place,
  draw: Draw,
  { callsPerClient, clients, lost }: Options,
): Promise<History> => {
  const player = new Player(place, draw, lost)
  await player.start()
  const expiresAt = draw(2 * clients * callsPerClient)
  let made = 0
  const client = async (_: unknown, index: number): Promise<void> => {
    for (let count = 0; count < callsPerClient; count++) {
      made += 1
      if (made === expiresAt) await player.expire()
      else await player.step(`client ${index + 1}`)
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  await player.end()
  return player.history()
}
