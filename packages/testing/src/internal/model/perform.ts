/**
 * Plays one action to the reference and to the engine, and compares what they
 * say, word by word.
 */
import { Accounts } from "@countersign/core/Accounts"
import { ApiKeys } from "@countersign/core/ApiKeys"
import type { Caller } from "@countersign/core/Access"
import { MessageId, type OrganizationId, RequestId, sortable } from "@countersign/core/Ids"
import * as Limits from "@countersign/core/Limits"
import * as Message from "@countersign/core/Message"
import { type MessageList, Messages, type SendMessageError } from "@countersign/core/Messages"
import * as Money from "@countersign/core/Money"
import { Organizations } from "@countersign/core/Organizations"
import * as PhoneNumber from "@countersign/core/PhoneNumber"
import { Reports } from "@countersign/core/Reports"
import { Settlement } from "@countersign/core/Settlement"
import { type CheckError, type SendError, Verifications } from "@countersign/core/Verifications"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import * as Samples from "../../Samples.ts"
import { cycled, type Real } from "./real.ts"
import type { ModelRequest, Reference } from "./reference.ts"
import { type Action, allowLists, leaseMillis, nobody, people, settleMillis } from "./world.ts"

type Of<T extends Action["tag"]> = Extract<Action, { readonly tag: T }>

const failureInWords = (error: CheckError | SendError | SendMessageError): string => {
  switch (error._tag) {
    case "InvalidRequest":
      return `InvalidRequest ${Object.keys(error.details).toSorted().join(",")}`
    case "RateLimited":
      return `RateLimited ${error.retryAfterSeconds}`
    case "InsufficientBalance":
      return `InsufficientBalance ${error.required} of ${error.available}`
    case "SendingFailed":
      return `SendingFailed ${error.status}`
    case "WrongCode":
      return `WrongCode ${error.attemptsRemaining}`
    default:
      return error._tag
  }
}

/** What an effect comes to, in the reference's words. */
const told = <A, E extends CheckError | SendError | SendMessageError, R>(
  effect: Effect.Effect<A, E, R>,
  inWords: (value: A) => string,
): Effect.Effect<string, never, R> =>
  Effect.match(effect, { onFailure: failureInWords, onSuccess: inWords })

const phoneOf = (person: number): string => people[person]?.phone ?? nobody

const organizationOf = (real: Real, org: number): OrganizationId => cycled(real.organizations, org)

const callerOf = (real: Real, org: number, key: number | undefined): Caller => ({
  organization: organizationOf(real, org),
  ...(key === undefined ? {} : { key: cycled(real.keys[org] ?? [], key) }),
})

/** One call, or many at once: what it is compared by does not depend on their order. */
const compare = Effect.fnUntraced(function* <R>(
  count: number,
  expect: () => string,
  call: Effect.Effect<string, never, R>,
) {
  const expected = Array.from({ length: count }, expect)
  const actual = yield* Effect.forEach(expected, () => call, { concurrency: "unbounded" })
  // Which balance is named depends on who else was served before.
  const blurred = (texts: ReadonlyArray<string>) =>
    count === 1 ? texts : texts.map((text) => text.replace(/, \d+ left$/, "")).toSorted()
  return { expected: blurred(expected), actual: blurred(actual) }
})

/** Finds the ids and codes of the requests that the reference has opened since. */
const learnRequests = Effect.fnUntraced(function* (real: Real, reference: Reference) {
  for (const { message } of reference.requests.slice(real.requests.length)) {
    const total = reference.org(message.org).messages.length
    const query = { from: undefined, to: undefined, skip: total - message.number, limit: 1 }
    const page = yield* real.store.messages(organizationOf(real, message.org), query)
    const found = page?.messages[0]
    assert.isNotNull(found?.verification ?? null, "a request has to be in the log")
    const journal = yield* real.gateway.journal(phoneOf(message.person))
    const text = journal.find(({ id }) => id === found?.id)?.text
    real.requests.push({
      id: RequestId(found?.verification ?? ""),
      code: text === undefined ? undefined : /\d{4,10}/.exec(text)?.[0],
    })
  }
})

const verify = Effect.fnUntraced(function* (action: Of<"verify">, reference: Reference, real: Real) {
  const send = Verifications.use((verifications) =>
    told(
      verifications.send({
        ...callerOf(real, action.org, action.key),
        phoneNumber: phoneOf(action.person),
        channel: action.channel,
        codeLength: action.codeLength,
        expirySeconds: action.expirySeconds,
        brand: action.brand,
      }),
      ({ channel, expiresIn }) => `sent by ${channel}, expires in ${expiresIn}`,
    ),
  )
  const both = yield* compare(
    action.count,
    () => reference.verify(action),
    real.patiently(real.on(action.node, send)),
  )
  yield* learnRequests(real, reference)
  return both
})

const wrongDigits = (code: string): string =>
  code.slice(0, -1) + String((Number(code.at(-1)) + 1) % 10)

const inBangla = (code: string): string =>
  code.replace(/\d/g, (digit) => String.fromCharCode(0x09e6 + Number(digit)))

const typed = (kind: Of<"check">["code"], code = "0123"): string =>
  ({
    right: code,
    wrong: wrongDigits(code),
    bangla: inBangla(code),
    letters: "😀 OR 1=1",
    empty: "",
    long: code.repeat(9),
  })[kind]

/** A request of the reference, its id, and who asks for it: its owner unless somebody else is named. */
const requested = (
  action: { readonly request: number; readonly org: number | undefined },
  reference: Reference,
  real: Real,
) => {
  const index = action.request % (reference.requests.length + 1)
  const request: ModelRequest | undefined = reference.requests[index]
  const known = real.requests[index]
  const org = action.org ?? request?.org ?? 0
  return { request, org, requestId: known?.id ?? Samples.requestId(9), code: known?.code }
}

const check = Effect.fnUntraced(function* (action: Of<"check">, reference: Reference, real: Real) {
  const { code, org, request, requestId } = requested(action, reference, real)
  const call = Verifications.use((verifications) =>
    told(
      verifications.check({
        ...callerOf(real, org, action.key),
        requestId,
        code: Redacted.make(typed(action.code, code)),
      }),
      ({ verifiedAt }) => `verified at ${verifiedAt}`,
    ),
  )
  return yield* compare(
    action.count,
    () => reference.check(action, org, request),
    real.on(action.node, call),
  )
})

const status = Effect.fnUntraced(function* (action: Of<"status">, reference: Reference, real: Real) {
  const { org, request, requestId } = requested(action, reference, real)
  const call = Verifications.use((verifications) =>
    told(
      verifications.status({ ...callerOf(real, org, undefined), requestId }),
      ({ attemptsRemaining, status, verifiedAt }) =>
        `${status}, ${attemptsRemaining} left, verified at ${verifiedAt}`,
    ),
  )
  return yield* compare(1, () => reference.status(org, request), real.on(action.node, call))
})

const message = (action: Of<"message">, reference: Reference, real: Real) => {
  const send = Messages.use((messages) =>
    told(
      messages.send({
        ...callerOf(real, action.org, action.key),
        address: action.address,
        to: phoneOf(action.person),
        text: action.text,
        channel: action.channel,
        brand: action.brand,
      }),
      ({ balance, channel }) => `sent by ${channel}, ${balance} left`,
    ),
  )
  return compare(
    action.count,
    () => reference.message(action),
    real.patiently(real.on(action.node, send)),
  )
}

const lineOf = (row: Message.Message): string =>
  [
    row.number,
    row.recipient,
    row.logChannel,
    row.status,
    Message.price(row),
    row.createdAt,
    row.verification === null ? row.text : "a code",
  ].join(" ")

const pageOf = ({ messages, total, totalPages }: MessageList): string =>
  [`${total} in ${totalPages} pages`, ...messages.map(lineOf)].join("\n")

const list = (action: Of<"list">, reference: Reference, real: Real) => {
  const { limit, page, range } = action
  const times = reference.org(action.org).messages.map(({ createdAt }) => createdAt)
  const timeAt = (index: number) => (times.length === 0 ? reference.now : cycled(times, index))
  const bounds =
    range === undefined ? {} : { from: timeAt(range[0]) + range[1], to: timeAt(range[2]) + range[3] }
  const query = { page, limit, ...bounds }
  const call = Messages.use((messages) =>
    told(messages.list({ ...callerOf(real, action.org, undefined), ...query }), pageOf),
  )
  return compare(1, () => reference.list(action.org, query), real.on(action.node, call))
}

const balance = (action: Of<"balance">, reference: Reference, real: Real) => {
  const call = Accounts.use((accounts) =>
    told(
      accounts.balance(callerOf(real, action.org, action.key)),
      ({ balance, held }) => `${balance} + ${held} held`,
    ),
  )
  return compare(1, () => reference.money(action.org, action.key), real.on(action.node, call))
}

const book = (action: Of<"topUp" | "adjust">, reference: Reference, real: Real) => {
  const { node, org, tag, units } = action
  const amount = Money.fromUnits(units)
  const call = Accounts.use((accounts) =>
    told(accounts[tag]({ organization: organizationOf(real, org), amount }), (left) => `${left} left`),
  )
  return compare(1, () => reference.book(org, units, tag), real.on(node, call))
}

const report = Effect.fnUntraced(function* (action: Of<"report">, reference: Reference, real: Real) {
  const messages = reference.allMessages
  const known = messages.length === 0 ? undefined : cycled(messages, action.message)
  const receive = (of: Parameters<Reports["Service"]["receive"]>[0]["of"]) =>
    real.on(
      action.node,
      Reports.use((reports) => reports.receive({ of, status: action.status, detail: null })),
    )
  const gatewayId = `unknown-${action.message}`
  if (known === undefined || action.by === "unknown id") {
    const of = { _tag: "GatewayId", gateway: "simulated", gatewayId } as const
    return { expected: ["kept"], actual: [yield* receive(of)] }
  }
  const ref = { organization: organizationOf(real, known.org), number: known.number }
  // A store has to find only what a report could still change when the gateway named it.
  const isFindable = reference.fate(known).status === "accepted"
  const total = reference.org(known.org).messages.length
  const query = { from: undefined, to: undefined, skip: total - known.number, limit: 1 }
  const row = (yield* real.store.messages(ref.organization, query))?.messages[0]
  const of =
    action.by === "gateway id" && isFindable && row !== undefined && row.gatewayId !== null
      ? ({ _tag: "GatewayId", gateway: row.gateway, gatewayId: row.gatewayId } as const)
      : ({ _tag: "Message", ...ref } as const)
  const actual: Array<string> = []
  for (let times = 0; times < action.times; times++) {
    reference.report(known, action.status)
    actual.push(yield* receive(of))
  }
  return { expected: actual.map(() => "applied"), actual }
})

const crash = Effect.fnUntraced(function* (action: Of<"crash">, reference: Reference, real: Real) {
  const { carriesCode, org, person } = action
  const organization = organizationOf(real, org)
  const expected = reference.crash(action)
  const index = reference.allMessages.length
  const draft = Samples.draft({
    // Behind the ids that the engine makes, which have an earlier time.
    id: MessageId(sortable("msg", 2 ** 44 + index, new Uint8Array(16))),
    text: carriesCode ? "•••••• is your verification code." : "crashed",
    leaseMillis,
    settleMillis,
  })
  const version = (yield* real.store.account(organization))?.version ?? 0
  const common = { organization, version, number: PhoneNumber.fromE164(phoneOf(person)), counted: false, draft }
  const { messagesPerMinute } = real.config
  const committed = yield* real.store.execute(
    carriesCode
      ? Samples.requestVerification({
          ...common,
          id: RequestId(sortable("vrf", 2 ** 44 + index, new Uint8Array(16))),
          sendLimit: Limits.defaults.sendsPerNumber,
        })
      : Samples.holdMessage({
          ...common,
          limit: messagesPerMinute === null ? undefined : { max: messagesPerMinute, windowMillis: 60_000 },
        }),
  )
  yield* learnRequests(real, reference)
  const { outcome } = committed
  const actual =
    outcome._tag === "Limited"
      ? `RateLimited ${outcome.retryAfterSeconds}`
      : outcome._tag === "Insufficient"
        ? `InsufficientBalance ${outcome.required} of ${outcome.available}`
        : outcome._tag === "Held" || outcome._tag === "Requested"
          ? "held"
          : outcome._tag
  return { expected: [expected], actual: [actual] }
})

const settle = Effect.fnUntraced(function* (action: Of<"settle">, reference: Reference, real: Real) {
  reference.settle()
  yield* real.patiently(real.on(action.node, Settlement.use(({ round }) => round)))
})

const changeKeys = Effect.fnUntraced(function* (
  action: Of<"createKey" | "revokeKey">,
  reference: Reference,
  real: Real,
) {
  const { node, org } = action
  const organization = organizationOf(real, org)
  const keys = real.keys[org] ?? []
  if (action.tag === "createKey") {
    reference.createKey(org)
    const { id } = yield* real.on(
      node,
      ApiKeys.use((service) => service.create({ organization, name: "another" })),
    )
    keys.push(id)
  } else {
    reference.revokeKey(org, action.key)
    const id = cycled(keys, action.key)
    yield* real.on(node, ApiKeys.use((service) => service.revoke(organization, id)))
  }
})

const allow = Effect.fnUntraced(function* (action: Of<"allow">, reference: Reference, real: Real) {
  const { list, node, org } = action
  reference.allow(org, list)
  const allowList = cycled<ReadonlyArray<string>>(allowLists, list)
  const configure = Organizations.use((service) =>
    service.configure(organizationOf(real, org), { allowList }),
  )
  yield* real.on(node, configure)
})

interface Compared {
  readonly expected: ReadonlyArray<string>
  readonly actual: ReadonlyArray<string>
}

const advance = (reference: Reference, millis: number): Effect.Effect<void> => {
  reference.now += millis
  return TestClock.adjust(millis)
}

const play = (
  action: Action,
  reference: Reference,
  real: Real,
): Effect.Effect<Compared | void, unknown> => {
  switch (action.tag) {
    case "advance":
      return advance(reference, action.millis)
    case "until": {
      const millis = (reference.momentOf(action) ?? 0) + action.offset - reference.now
      return millis > 0 ? advance(reference, millis) : Effect.void
    }
    case "verify":
      return verify(action, reference, real)
    case "check":
      return check(action, reference, real)
    case "status":
      return status(action, reference, real)
    case "message":
      return message(action, reference, real)
    case "list":
      return list(action, reference, real)
    case "balance":
      return balance(action, reference, real)
    case "topUp":
    case "adjust":
      return book(action, reference, real)
    case "report":
      return report(action, reference, real)
    case "crash":
      return crash(action, reference, real)
    case "settle":
      return settle(action, reference, real)
    case "createKey":
    case "revokeKey":
      return changeKeys(action, reference, real)
    case "allow":
      return allow(action, reference, real)
  }
}

/** What came of an action, by kind: `check: WrongCode #`. */
const kindOf = (action: Action, text: string): string =>
  `${action.tag}: ${(text.split("\n")[0] ?? "").replace(/\d+/g, "#")}`

/** Fails where the engine does not say what the reference says; gives the kinds of answers. */
export const perform = (
  action: Action,
  reference: Reference,
  real: Real,
): Effect.Effect<ReadonlyArray<string>, unknown> =>
  Effect.map(play(action, reference, real), (compared) => {
    if (compared === undefined) return [action.tag]
    const { actual, expected } = compared
    assert.deepStrictEqual(actual, expected, `engine and model differ on ${action.tag}`)
    return actual.map((text) => kindOf(action, text))
  })
