/**
 * Makes illegal histories of legal ones. Each mutation has a reason for which no order of the calls explains the
 * result, and changes only answers that allow this reason.
 */
import { type Answer, at, type Call, type History, refusedNumber, price, textAt } from "./calls.ts"
import type { Draw } from "./play.ts"

export interface Mutation {
  readonly name: string
  /** Why the result is illegal. */
  readonly reason: string
  /** All results for a history, without any if it has no such answers. */
  readonly apply: (history: History) => ReadonlyArray<History>
}

type Answered = Call & { readonly answer: NonNullable<Call["answer"]> }

const isAnswered = (call: Call): call is Answered => call.answer !== undefined

const isBefore = (one: Answered, other: Call): boolean => one.answer.at < other.calledAt

const withAnswer = (history: History, call: Answered, output: Answer): History =>
  history.map((one) => (one === call ? { ...one, answer: { ...call.answer, output } } : one))

/** The answer with members of `data` replaced. */
const withData = ({ body, ...rest }: Answer, members: object): Answer => ({
  ...rest,
  body: { ...Object(body), data: { ...Object(at(body, "data")), ...members } },
})

const answeredOf = <Name extends Call["input"]["name"]>(
  history: History,
  name: Name,
  code = "ok",
) =>
  history
    .filter(isAnswered)
    .filter(({ answer, input }) => input.name === name && answer.output.code === code)

const requestOf = ({ input }: Call): string | undefined =>
  "requestId" in input ? input.requestId : undefined

const keyOf = ({ input }: Call): string | undefined =>
  input.name === "send" && input.key !== undefined ? input.key : undefined

const isFirst = ({ answer }: Answered): boolean => answer.output.isFirst

export const mutations: ReadonlyArray<Mutation> = [
  {
    name: "swapped answers",
    reason:
      "the attempts of a request never rise, and the first answer came before the second call",
    apply: (history) => {
      const wrong = answeredOf(history, "check", "wrong_code")
      return wrong.flatMap((one) =>
        wrong
          .filter((other) => requestOf(other) === requestOf(one) && isBefore(one, other))
          .map((other) =>
            withAnswer(
              withAnswer(history, one, other.answer.output),
              // `withAnswer` has replaced `one` only.
              other,
              one.answer.output,
            ),
          ),
      )
    },
  },
  {
    name: "two first successes",
    reason: "one check verifies a request",
    apply: (history) => {
      const verified = answeredOf(history, "check")
      return verified.flatMap((one) =>
        !isFirst(one) &&
        verified.some((other) => isFirst(other) && requestOf(other) === requestOf(one))
          ? [withAnswer(history, one, { ...one.answer.output, isFirst: true })]
          : [],
      )
    },
  },
  {
    name: "a request that is consumed twice",
    reason: "of all calls that consume a request, one succeeds",
    apply: (history) =>
      answeredOf(history, "consume", "already_consumed").flatMap((one) =>
        answeredOf(history, "consume")
          .filter((other) => requestOf(other) === requestOf(one))
          .map((other) => withAnswer(history, one, other.answer.output)),
      ),
  },
  {
    name: "a stale read of a request",
    reason: "a verified request stays verified, and the check was answered before the read began",
    apply: (history) =>
      answeredOf(history, "status").flatMap((one) =>
        at(one.answer.output.body, "data", "status") === "verified" &&
        answeredOf(history, "check").some(
          (other) => requestOf(other) === requestOf(one) && isBefore(other, one),
        )
          ? [
              withAnswer(
                history,
                one,
                withData(one.answer.output, { status: "pending", verified_at: null }),
              ),
            ]
          : [],
      ),
  },
  {
    name: "a lost verification",
    reason: "no call ends a verified request, and the check was answered before the last read",
    apply: (history) =>
      answeredOf(history, "status").flatMap((one) =>
        one.client === "last" &&
        at(one.answer.output.body, "data", "status") === "verified" &&
        answeredOf(history, "check").some(
          (other) => requestOf(other) === requestOf(one) && isBefore(other, one),
        )
          ? [
              withAnswer(
                history,
                one,
                withData(one.answer.output, { status: "failed", verified_at: null }),
              ),
            ]
          : [],
      ),
  },
  {
    name: "a lost charge",
    reason: "the balance at the end is above all bookings without the charges that were answered",
    apply: (history) => lastBalances(history, (most) => most + price),
  },
  {
    name: "a charge without a call",
    reason: "the balance at the end is below the bookings that were answered without all charges",
    apply: (history) => lastBalances(history, (_, least) => least - price),
  },
  {
    name: "a send that was refused with enough money",
    reason: "a refusal tells a balance below the price",
    apply: (history) =>
      answeredOf(history, "send", "insufficient_balance").map((one) =>
        withAnswer(history, one, {
          ...one.answer.output,
          body: { ...Object(one.answer.output.body), available: price / 10_000 },
        }),
      ),
  },
  {
    name: "another answer to a repeat",
    reason: "each success of a key has the answer of the first",
    apply: (history) => {
      const sent = answeredOf(history, "send")
      return sent.flatMap((one) =>
        keyOf(one) !== undefined &&
        sent.some((other) => other !== one && keyOf(other) === keyOf(one))
          ? [withAnswer(history, one, withData(one.answer.output, { gateway_id: "another" }))]
          : [],
      )
    },
  },
  {
    name: "another text under a key that succeeds",
    reason: "the key had its effect with one text, so a call with another one is refused",
    apply: (history) =>
      answeredOf(history, "send", "idempotency_mismatch").flatMap((one) =>
        answeredOf(history, "send")
          .filter((other) => keyOf(other) === keyOf(one))
          .map((other) => withAnswer(history, one, other.answer.output)),
      ),
  },
  {
    name: "under way after its answer",
    reason: "a key whose answer is known is not under way",
    apply: (history) => {
      const sent = answeredOf(history, "send").filter((call) => keyOf(call) !== undefined)
      return sent.flatMap((one) =>
        sent.some((other) => keyOf(other) === keyOf(one) && isBefore(other, one))
          ? [withAnswer(history, one, inFlight)]
          : [],
      )
    },
  },
  {
    name: "a key that sends twice",
    reason: "the log has at most one message of a key",
    apply: (history) =>
      answeredOf(history, "log").flatMap((log) => {
        const entries = at(log.answer.output.body, "data")
        if (!Array.isArray(entries)) return []
        const keyed = answeredOf(history, "send").flatMap((call) =>
          keyOf(call) !== undefined && "phoneNumber" in call.input
            ? [call.input.phoneNumber.slice(1)]
            : [],
        )
        const sent = entries.find((entry) => keyed.includes(textAt(entry, "recipient") ?? ""))
        if (sent === undefined) return []
        const body = { ...Object(log.answer.output.body), data: [sent, ...entries] }
        return [withAnswer(history, log, { ...log.answer.output, body })]
      }),
  },
]

const inFlight: Answer = {
  status: 409,
  code: "idempotency_in_flight",
  isFirst: false,
  body: { error: "", retry_after: 1 },
}

/** Replaces the balance that the last read tells by a value beyond what any order of the calls gives. */
const lastBalances = (
  history: History,
  beyond: (most: number, least: number) => number,
): ReadonlyArray<History> => {
  const read = answeredOf(history, "balance").findLast(({ client }) => client === "last")
  if (read === undefined) return []
  let most = 0
  let least = 0
  const payments = new Set<string>()
  const keys = new Set<string>()
  // Answered bookings first, so that an unanswered repeat adds nothing.
  for (const { answer, input } of history.toSorted(
    (a, b) => Number(a.answer === undefined) - Number(b.answer === undefined),
  )) {
    const code = answer?.output.code
    if (input.name === "topUp" && !payments.has(input.payment)) {
      payments.add(input.payment)
      most += input.units
      if (code !== undefined) least += input.units
    }
    if (input.name !== "verify" && input.name !== "resend" && input.name !== "send") continue
    const key = "key" in input && input.key !== undefined ? `${input.name} ${input.key}` : undefined
    const isRepeat = key !== undefined && keys.has(key)
    // The price is held if it is not known whether the message was sent.
    const isHeld = textAt(answer?.output.body, "status") === "unknown"
    const mayCharge = code === undefined || code === "ok" || code === "idempotency_in_flight"
    if (isRepeat || (!mayCharge && !isHeld)) continue
    if (key !== undefined) keys.add(key)
    least -= price
    const isRefused = "phoneNumber" in input && input.phoneNumber === refusedNumber
    if (code === "ok" && !isRefused) most -= price
  }
  const balance = beyond(most, least) / 10_000
  return [withAnswer(history, read, withData(read.answer.output, { balance }))]
}

/** Draws `count` mutants of histories, of all mutations in turn. */
export const mutantsOf = (histories: ReadonlyArray<History>, draw: Draw, count: number) => {
  const all = mutations.map(({ apply, name }) => ({ name, mutants: histories.flatMap(apply) }))
  const chosen: Array<{ readonly name: string; readonly mutant: History }> = []
  while (chosen.length < count) {
    const before = chosen.length
    for (const { mutants, name } of all) {
      const [mutant] = mutants.splice(draw(mutants.length || 1), 1)
      if (mutant !== undefined && chosen.length < count) chosen.push({ name, mutant })
    }
    if (chosen.length === before) throw new Error("The histories have too few answers to mutate")
  }
  return { chosen, kinds: new Set(chosen.map(({ name }) => name)) }
}
