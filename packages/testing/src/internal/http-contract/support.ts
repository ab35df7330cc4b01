/**
 * Helpers for the contract's tests: requests, and checks of answers.
 */
import { assert, vi } from "@effect/vitest"
import type { Row } from "./rows.ts"
import { type SpecialNumber, specialNumber } from "./specialNumbers.ts"
import type { Host, OrganizationOptions, Subject } from "./subject.ts"

/** An answer as received. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly body: unknown
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** Returns the member at a path of a JSON value. */
export const member = (value: unknown, ...path: ReadonlyArray<string | number>): unknown =>
  path.reduce<unknown>((outer, name) => (isRecord(outer) ? outer[name] : undefined), value)

/** Returns the text at a path. Fails unless it is a non-empty string. */
export const textAt = (value: unknown, ...path: ReadonlyArray<string | number>): string => {
  const found = member(value, ...path)
  assert(typeof found === "string" && found !== "", `text at ${path.join(".")}`)
  return found
}

/** Returns the list at a path. Fails unless it is a list. */
export const listAt = (
  value: unknown,
  ...path: ReadonlyArray<string | number>
): ReadonlyArray<unknown> => {
  const found = member(value, ...path)
  assert(Array.isArray(found), `list at ${path.join(".")}`)
  return found
}

/**
 * Sends a request, and checks the promises for every answer: JSON, not cacheable, and on failure an `error`
 * and a code.
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

/** Checks for a success with exactly this body. */
export const answers = (answer: Answer, body: object): void => {
  assert.deepStrictEqual({ status: answer.status, body: answer.body }, { status: 200, body })
}

/** The default code of each status. */
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

/** Checks for a failure with an `error`, a code, and exactly these other members. */
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

/** Checks for `{error, details}` with sentences for exactly these fields. */
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

/** Checks for `{error, retry_after}` and the matching header. Returns the seconds. */
export const limits = (answer: Answer, status = 429, code = "rate_limited"): number => {
  const seconds = member(answer.body, "retry_after")
  refuses(answer, status, { retry_after: seconds }, code)
  assert(typeof seconds === "number" && Number.isInteger(seconds) && seconds >= 1, answer.text)
  assert.strictEqual(answer.headers.get("retry-after"), String(seconds), answer.text)
  return seconds
}

/** Checks for the answer of the state table to a check. */
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
  // A later check of the same request gets the same answer.
  assert.isFalse(answer.headers.has("retry-after"), answer.text)
}

/** Checks for the answer that names the state with which a call conflicts. */
export const conflicts = (
  answer: Answer,
  requestId: string,
  status: "pending" | "verified",
  code: "already_consumed" | "already_verified" | "not_verified",
): void => {
  refuses(answer, 409, { success: false, data: { request_id: requestId, status } }, code)
}

/** Waits for an effect of the gateway or of a listener. */
export const eventually = (check: () => void | Promise<void>): Promise<void> =>
  vi.waitFor(check, { timeout: 10_000, interval: 10 })

/** Counts the answers per status. */
export const tally = (given: ReadonlyArray<Answer>): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const { status } of given) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

/** Runs a function several times concurrently. */
export const atOnce = <A>(times: number, ask: (index: number) => Promise<A>): Promise<Array<A>> =>
  Promise.all(Array.from({ length: times }, (_, index) => ask(index)))

/** Runs a function several times sequentially. */
export const inTurn = async <A>(
  times: number,
  ask: (index: number) => Promise<A>,
): Promise<Array<A>> => {
  const given: Array<A> = []
  for (let index = 0; index < times; index++) given.push(await ask(index))
  return given
}

/** Overrides for a request. A header that is `null` is omitted. */
export interface Overrides {
  readonly key?: string | null
  readonly headers?: Readonly<Record<string, string | null>>
  /** Base URL of another mount. */
  readonly baseUrl?: string
}

/** A request, and the code that has reached the phone. */
export interface Sent {
  readonly id: string
  readonly number: string
  readonly code: string
}

/** An organization, seen from its API and from its host. */
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
    // Streams are sent in chunks without a length. `fetch` requires `duplex` for that.
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

  /** Reads the state of a request. */
  state(requestId: string, overrides?: Overrides): Promise<Answer> {
    return this.request("GET", `/verify/${requestId}`, undefined, overrides)
  }

  resend(requestId: string, members: object = {}, overrides?: Overrides): Promise<Answer> {
    return this.post(`/verify/${requestId}/resend`, members, overrides)
  }

  cancel(requestId: string, overrides?: Overrides): Promise<Answer> {
    return this.request("POST", `/verify/${requestId}/cancel`, undefined, overrides)
  }

  consume(requestId: string, members: object = {}, overrides?: Overrides): Promise<Answer> {
    return this.post(`/verify/${requestId}/consume`, members, overrides)
  }

  send(to: string, members: object = {}, overrides?: Overrides): Promise<Answer> {
    return this.post("/messages", { to, message: "Hello", ...members }, overrides)
  }

  list(query: Readonly<Record<string, string>> = {}, overrides?: Overrides): Promise<Answer> {
    const search = new URLSearchParams(query).toString()
    const path = search === "" ? "/messages" : `/messages?${search}`
    return this.request("GET", path, undefined, overrides)
  }

  /** Returns the newest entries of the log. */
  async log(): Promise<ReadonlyArray<unknown>> {
    return listAt((await this.list({ limit: "200" })).body, "data")
  }

  async balance(): Promise<unknown> {
    const answer = await this.request("GET", "/balance")
    const balance = member(answer.body, "data", "balance")
    answers(answer, { success: true, data: { balance, currency: "BDT" } })
    return balance
  }

  /** Requests a code and verifies the number with it. */
  async verified(number?: string, members?: object): Promise<Sent> {
    const sent = await this.sendCode(number, members)
    assert.strictEqual((await this.check(sent.id, sent.code)).status, 200)
    return sent
  }

  /** Requests a code and uses up all attempts. */
  async failed(number?: string, members?: object): Promise<Sent> {
    const sent = await this.sendCode(number, members)
    for (let tried = 0; tried < 3; tried++) await this.check(sent.id, wrong(sent.code))
    return sent
  }

  /** Requests a code, checks the success, and reads the code from the phone. */
  async sendCode(number = this.#contract.number(), members: object = {}): Promise<Sent> {
    const answer = await this.verify(number, members)
    assert.strictEqual(answer.status, 200, answer.text)
    const id = textAt(answer.body, "data", "request_id")
    return { id, number, code: await this.#contract.codeOf(number) }
  }

  /** Uses up all checks of this minute. */
  async useUpChecks(): Promise<void> {
    const given = await atOnce(20, () => this.check("vrf_unknown", "1"))
    assert.deepStrictEqual(tally(given), { 404: 20 })
  }
}

/** Returns a different code of the same length. */
export const wrong = (code: string): string =>
  code.replace(/^./, (digit) => String((Number(digit) + 1) % 10))

/** The service under test, with fresh phone numbers for every test. */
export class Contract {
  readonly subject: Subject["Service"]
  readonly baseUrl: string
  #numbers = 0
  #special = 0

  constructor(subject: Subject["Service"], baseUrl: string) {
    this.subject = subject
    this.baseUrl = baseUrl
  }

  /** A phone number that no other test uses, in E.164 form with the plus. */
  number(): string {
    this.#numbers += 1
    return `+88017${String(10_000_000 + this.#numbers)}`
  }

  /** The same for a phone number that simulates a failure. */
  special(kind: SpecialNumber): string {
    this.#special += 1
    return specialNumber(kind, this.#special)
  }

  async organization(options: OrganizationOptions = {}): Promise<Organization> {
    const host = await this.subject.organization(options)
    return new Organization(this, host, await host.createKey())
  }

  /** The last text to a phone number. */
  async textTo(number: string): Promise<string> {
    return textAt(await this.subject.journal(number), 0, "text")
  }

  /** The code in that text. */
  async codeOf(number: string): Promise<string> {
    const [code = ""] = /\d{4,10}/.exec(await this.textTo(number)) ?? []
    assert.match(code, /^\d{4,10}$/)
    return code
  }

  /** Number of messages to a phone number. */
  async messageCount(number: string): Promise<number> {
    return (await this.subject.journal(number)).length
  }

  advanceSeconds(seconds: number): void {
    this.subject.advance(seconds * 1_000)
  }
}

/** A test, and the promises that it verifies. */
export interface ContractTest {
  readonly title: string
  readonly rows: ReadonlyArray<Row>
  /** Whether the test advances the time. Such tests run sequentially, after all others. */
  readonly movesTime: boolean
  /** Gets an organization of its own, with the default options. */
  readonly run: (contract: Contract, organization: Organization) => Promise<void>
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

/** Defines a test during which time stands still. */
export const proves: Prove = test(false)

/** Defines a test that advances the time. */
export const provesOverTime: Prove = test(true)
