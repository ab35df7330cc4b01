/**
 * What the contract's tests are written with: requests, and the answers that
 * are expected.
 */
import type { Settings } from "@countersign/core/domain/Organization"
import { assert, vi } from "@effect/vitest"
import type { Row } from "./rows.ts"
import { type SpecialNumber, specialNumber } from "./specialNumbers.ts"
import type { Host, OrganizationOptions, Subject } from "./subject.ts"

/** An answer as it came over the wire. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly body: unknown
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** The member of a JSON value that stands at the end of a path. */
export const member = (value: unknown, ...path: ReadonlyArray<string | number>): unknown =>
  path.reduce<unknown>((outer, name) => (isRecord(outer) ? outer[name] : undefined), value)

/** The same where it has to be a text that is not empty. */
export const textAt = (value: unknown, ...path: ReadonlyArray<string | number>): string => {
  const found = member(value, ...path)
  assert(typeof found === "string" && found !== "", `text at ${path.join(".")}`)
  return found
}

/** The same where it has to be a list. */
export const listAt = (
  value: unknown,
  ...path: ReadonlyArray<string | number>
): ReadonlyArray<unknown> => {
  const found = member(value, ...path)
  assert(Array.isArray(found), `list at ${path.join(".")}`)
  return found
}

/**
 * Asks, and holds the answer to what is promised of every one: JSON, not to be
 * cached, and with an `error` and a code when it is no success.
 */
export const fetchJson = async (url: string, init: RequestInit): Promise<Answer> => {
  const response = await fetch(url, init)
  const { headers, status } = response
  const text = await response.text()
  const about = `${init.method} ${url}: ${status} ${text}`
  assert.match(headers.get("content-type") ?? "", /^application\/json(;|$)/, about)
  assert.strictEqual(headers.get("cache-control"), "no-store", about)
  const body: unknown = JSON.parse(text)
  if (status === 200) assert.strictEqual(member(body, "success"), true, about)
  else textAt(body, "error")
  assert.strictEqual(headers.has("countersign-error"), status >= 400, about)
  return { status, headers, text, body }
}

/** A success with exactly this body. */
export const answers = (answer: Answer, body: object): void => {
  assert.deepStrictEqual({ status: answer.status, body: answer.body }, { status: 200, body })
}

/** The code that goes with a status, where nothing else is said. */
const codeOf: Readonly<Record<number, string>> = {
  400: "not_on_whatsapp",
  401: "unauthorized",
  402: "insufficient_balance",
  403: "address_not_allowed",
  404: "request_not_found",
  405: "method_not_allowed",
  413: "body_too_large",
  415: "unsupported_media_type",
  429: "too_many_pending",
  500: "sending_failed",
}

/** A refusal with an `error`, exactly these members beside it, and a code. */
export const refuses = (
  answer: Answer,
  status: number,
  members: object = {},
  code = codeOf[status],
): void => {
  assert.strictEqual(answer.headers.get("countersign-error"), code, answer.text)
  const error = member(answer.body, "error")
  assert.deepStrictEqual(
    { status: answer.status, body: answer.body },
    { status, body: { error, ...members } },
  )
}

/** `{error, details}` with sentences for exactly these fields. */
export const faults = (
  answer: Answer,
  status: 400 | 422,
  ...fields: ReadonlyArray<string>
): void => {
  const details = member(answer.body, "details")
  refuses(answer, status, { details }, "invalid_request")
  assert(isRecord(details), answer.text)
  assert.deepStrictEqual(Object.keys(details).toSorted(), fields.toSorted(), answer.text)
  for (const field of fields) {
    const sentences = listAt(details, field)
    assert.isNotEmpty(sentences, answer.text)
    for (const index of sentences.keys()) textAt(sentences, index)
  }
}

/** `{error, retry_after}` with its header; gives the seconds. */
export const limits = (answer: Answer): number => {
  const seconds = member(answer.body, "retry_after")
  refuses(answer, 429, { retry_after: seconds }, "rate_limited")
  assert(typeof seconds === "number" && Number.isInteger(seconds) && seconds >= 1, answer.text)
  assert.strictEqual(answer.headers.get("retry-after"), String(seconds), answer.text)
  return seconds
}

/** What the state table answers to a check. */
export const checkAnswers = (
  answer: Answer,
  requestId: string,
  state: { readonly pending: number } | "failed" | "expired",
): void => {
  const [status, code, members] =
    state === "failed"
      ? [429, "attempts_exhausted", { status: "failed" }]
      : state === "expired"
        ? [410, "request_expired", { status: "expired" }]
        : [400, "wrong_code", { status: "pending", attempts_remaining: state.pending }]
  const data = { request_id: requestId, ...members }
  refuses(answer, status, { success: false, data }, code)
}

/** Waits for what the gateway, or a listener, does in its own time. */
export const eventually = (check: () => void | Promise<void>): Promise<void> =>
  vi.waitFor(check, { timeout: 10_000, interval: 10 })

/** Statuses with how many of each there are. */
export const tally = (given: ReadonlyArray<Answer>): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const { status } of given) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

/** Runs something many times at once. */
export const atOnce = <A>(times: number, ask: (index: number) => Promise<A>): Promise<Array<A>> =>
  Promise.all(Array.from({ length: times }, (_, index) => ask(index)))

/** Runs something many times, one after the other. */
export const inTurn = async <A>(
  times: number,
  ask: (index: number) => Promise<A>,
): Promise<Array<A>> => {
  const given: Array<A> = []
  for (let index = 0; index < times; index++) given.push(await ask(index))
  return given
}

/** What is laid over a request. A header that is `null` is left out. */
export interface Overrides {
  readonly key?: string | null
  readonly headers?: Readonly<Record<string, string | null>>
  /** Where the interface is mounted in another way. */
  readonly baseUrl?: string
}

/** An organization, from outside and from its host's side. */
export class Organization {
  readonly host: Host
  readonly key: string
  readonly #contract: Contract

  constructor(contract: Contract, host: Host, key: string) {
    this.#contract = contract
    this.host = host
    this.key = key
  }

  request(
    method: string,
    path: string,
    body?: BodyInit,
    { baseUrl, headers, key = this.key }: Overrides = {},
  ): Promise<Answer> {
    const all = {
      authorization: key === null ? null : `Bearer ${key}`,
      "content-type": body === undefined ? null : "application/json",
      ...headers,
    }
    const sent = Object.entries(all).flatMap(([name, value]): Array<[string, string]> =>
      value === null ? [] : [[name, value]],
    )
    // Streams go out in chunks, without a length; `fetch` wants to hear it.
    const init = { method, headers: sent, duplex: "half", ...(body === undefined ? {} : { body }) }
    return fetchJson(`${baseUrl ?? this.#contract.baseUrl}${path}`, init)
  }

  post(path: string, body: unknown, overrides?: Overrides): Promise<Answer> {
    return this.request("POST", path, JSON.stringify(body), overrides)
  }

  verify(phoneNumber: string, members: object = {}, overrides?: Overrides): Promise<Answer> {
    return this.post("/verify", { phone_number: phoneNumber, ...members }, overrides)
  }

  check(requestId: string, code: string, overrides?: Overrides): Promise<Answer> {
    return this.post("/verify/check", { request_id: requestId, code }, overrides)
  }

  send(to: string, members: object = {}, overrides?: Overrides): Promise<Answer> {
    return this.post("/messages", { to, message: "Hello", ...members }, overrides)
  }

  list(query: Readonly<Record<string, string>> = {}, overrides?: Overrides): Promise<Answer> {
    const search = new URLSearchParams(query).toString()
    return this.request(
      "GET",
      `/messages${search === "" ? "" : `?${search}`}`,
      undefined,
      overrides,
    )
  }

  /** The newest entries of the log. */
  async log(): Promise<ReadonlyArray<unknown>> {
    return listAt((await this.list({ limit: "200" })).body, "data")
  }

  async balance(): Promise<unknown> {
    const answer = await this.request("GET", "/balance")
    const balance = member(answer.body, "data", "balance")
    answers(answer, { success: true, data: { balance, currency: "BDT" } })
    return balance
  }

  /** Sends a code that is expected to be taken, and reads it from the phone. */
  async sendCode(
    number: string = this.#contract.number(),
    members: object = {},
  ): Promise<{ readonly id: string; readonly code: string; readonly number: string }> {
    const answer = await this.verify(number, members)
    assert.strictEqual(answer.status, 200, answer.text)
    const id = textAt(answer.body, "data", "request_id")
    return { id, number, code: await this.#contract.codeOf(number) }
  }

  /** Takes up all checks of this minute. */
  async useUpChecks(): Promise<void> {
    const given = await atOnce(20, () => this.check("vrf_unknown", "1"))
    assert.deepStrictEqual(tally(given), { 404: 20 })
  }

  configure(settings: Partial<Settings>): Promise<void> {
    return this.host.configure(settings)
  }
}

/** Any code but this one, of the same length. */
export const wrong = (code: string): string =>
  code.replace(/^./, (digit) => String((Number(digit) + 1) % 10))

/** The service under test, and fresh names for every test. */
export class Contract {
  readonly subject: Subject["Service"]
  readonly baseUrl: string
  #numbers = 0
  #special = 0

  constructor(subject: Subject["Service"], baseUrl: string) {
    this.subject = subject
    this.baseUrl = baseUrl
  }

  /** A number that no other test uses, with its plus. */
  number(): string {
    this.#numbers += 1
    return `+88017${String(10_000_000 + this.#numbers)}`
  }

  /** The same, of a number that stands for something. */
  special(kind: SpecialNumber): string {
    this.#special += 1
    return specialNumber(kind, this.#special)
  }

  async organization(options: OrganizationOptions = {}): Promise<Organization> {
    const host = await this.subject.organization(options)
    return new Organization(this, host, await host.createKey())
  }

  /** The text that came to a phone last. */
  async textTo(number: string): Promise<string> {
    return textAt(await this.subject.journal(number), 0, "text")
  }

  /** The code in it. */
  async codeOf(number: string): Promise<string> {
    const [code = ""] = /\d{4,10}/.exec(await this.textTo(number)) ?? []
    assert.match(code, /^\d{4,10}$/)
    return code
  }

  /** How many messages came to a phone. */
  async arrivals(number: string): Promise<number> {
    return (await this.subject.journal(number)).length
  }

  advanceSeconds(seconds: number): void {
    this.subject.advance(seconds * 1_000)
  }
}

/** One test, and the promises that it holds the service to. */
export interface ContractTest {
  readonly title: string
  readonly rows: ReadonlyArray<Row>
  /** Tests that move the time run one after the other, when all others are done. */
  readonly movesTime: boolean
  readonly run: (contract: Contract) => Promise<void>
}

type Prove = (
  rows: Row | ReadonlyArray<Row>,
  sentence: string,
  run: ContractTest["run"],
) => ContractTest

const test =
  (movesTime: boolean): Prove =>
  (rows, sentence, run) => {
    const named = typeof rows === "string" ? [rows] : rows
    return { title: `${named.join(", ")}: ${sentence}`, rows: named, movesTime, run }
  }

/** A test during which time stands still. */
export const proves: Prove = test(false)

/** A test that moves the time on. */
export const provesOverTime: Prove = test(true)
