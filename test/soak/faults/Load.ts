/**
 * The clients of a campaign: they send messages, check codes and book payments, each under a key of its own, on any
 * node. They repeat what has no answer, and keep the answers.
 */
import type * as Engine from "@countersign/core/Engine"
import { SendingFailed } from "@countersign/core/domain/errors/Errors"
import type { DeliveryReport } from "@countersign/core/domain/messages/DeliveryReport"
import { OrganizationId } from "@countersign/core/domain/values/Ids"
import * as Money from "@countersign/core/domain/values/Money"
import { Accounts } from "@countersign/core/services/Accounts"
import { Messages } from "@countersign/core/services/Messages"
import { Reports } from "@countersign/core/services/Reports"
import { Verifications } from "@countersign/core/services/verifications/Verifications"
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import { oneOf, random } from "./random.ts"

/** A node that a client can call. */
export type Node = Context.Context<Engine.Engine>

/** The last of them has money for a few messages only. */
export const organizations = ["acme", "globex", "poor"] as const

/**
 * `done`: it has happened. `failed`: it was charged, and the vendor has not accepted it. `refused`: nothing has happened.
 * `open`: no answer came.
 */
export type Answer = "done" | "failed" | "refused" | "open"

/** A plain message has no idempotency key: only its lane knows whether its commit took effect. */
const kinds = ["message", "plain", "plain", "code", "code", "payment"] as const

/** What a client wants, once. */
export interface Intent {
  /** Its key, its text, and the end of its phone number. */
  readonly id: number
  readonly kind: (typeof kinds)[number]
  readonly organization: string
}

/** An intent and its answers. */
export interface Outcome extends Intent {
  readonly answer: Answer
  /** What a repeat must say again: a sequence, or the id of a request. */
  readonly subject?: string | number | undefined
  /** Number of wrong codes: those that were called wrong, and those without an answer. */
  readonly wrongCodes?: { readonly answered: number; readonly open: number } | undefined
  readonly isVerified?: boolean | undefined
  /** Whether the answer to a repeat says that the rows with its outcome are gone. */
  readonly isForgotten?: boolean | undefined
}

export const phoneNumberOf = ({ id }: Pick<Intent, "id">): string => `+88017${20_000_000 + id}`

export const keyOf = ({ id }: Pick<Intent, "id">): string => `intent ${id}`

const answers: Readonly<Record<string, Answer>> = {
  SendingFailed: "failed",
  InsufficientBalance: "refused",
  StoreUnavailable: "open",
  IdempotencyInFlight: "open",
}

interface Result extends Pick<Outcome, "answer" | "subject" | "isForgotten"> {}

const failed = (error: { readonly _tag: string }): Result => {
  const answer = answers[error._tag]
  if (answer === undefined) throw new Error(`A client got ${error._tag}`)
  // Without rows, the answer names no gateway.
  const isForgotten =
    error instanceof SendingFailed && error.status === "unknown" && error.gateway === null
  return { answer, isForgotten }
}

const attempt = (intent: Intent): Effect.Effect<Result, never, Engine.Engine> => {
  const organization = OrganizationId(intent.organization)
  const phoneNumber = phoneNumberOf(intent)
  const idempotencyKey = keyOf(intent)
  switch (intent.kind) {
    case "message":
    case "plain":
      return Effect.match(
        Messages.use((_) =>
          _.send({
            organization,
            phoneNumber,
            text: idempotencyKey,
            ...(intent.kind === "plain" ? {} : { idempotencyKey }),
          }),
        ),
        {
          onFailure: failed,
          onSuccess: ({ sequence }): Result => ({ answer: "done", subject: sequence }),
        },
      )
    case "code":
      return Effect.match(
        Verifications.use((_) => _.send({ organization, phoneNumber, idempotencyKey })),
        {
          onFailure: failed,
          onSuccess: ({ requestId }): Result => ({ answer: "done", subject: requestId }),
        },
      )
    case "payment":
      return Effect.match(
        Accounts.use((_) =>
          _.topUp({ organization, amount: Money.make("0.1"), paymentId: idempotencyKey }),
        ),
        {
          onFailure: failed,
          onSuccess: ({ entry }): Result => ({ answer: "done", subject: entry.sequence }),
        },
      )
  }
}

/** Repeats for at most a second and a half, while another node may have the answer. */
const again = { schedule: Schedule.spaced("50 millis"), times: 30 } as const

export interface Options {
  readonly nodes: () => readonly [Node, ...ReadonlyArray<Node>]
  readonly seed: number
  /** The number of the first intent. */
  readonly first: number
  readonly clients: number
  /** The code that has arrived at a number. */
  readonly codeFor: (phoneNumber: string) => string | undefined
  /** The reports of the vendor, which the clients bring to the nodes. */
  readonly reports: Array<DeliveryReport>
  /** Receives an intent before its first call, and after each answer. */
  readonly note?: ((outcome: Outcome) => void) | undefined
}

export type Load = ReturnType<typeof makeLoad>

export const makeLoad = (options: Options) => {
  const draw = random(options.seed)
  const outcomes = new Map<number, Outcome>()
  /** What must not happen. */
  const problems: Array<string> = []
  const watchers = new Set<() => void>()
  let next = options.first
  /** The database may have lost the effects of the intents before this one. */
  let mark = options.first
  const seen = { ended: 0, unavailable: 0 }
  let isStopped = false

  const note = (news: Outcome): void => {
    outcomes.set(news.id, news)
    options.note?.(news)
  }

  /** Calls a node. A defect is a problem, and says nothing about the outcome. */
  const call = <A>(effect: Effect.Effect<A, never, Engine.Engine>): Effect.Effect<A | undefined> =>
    Effect.suspend(() => Effect.provideContext(effect, oneOf(draw, options.nodes()))).pipe(
      Effect.catchCause((cause) => {
        if (!Cause.hasInterruptsOnly(cause)) problems.push(Cause.pretty(cause).slice(0, 2_000))
        return Effect.undefined
      }),
    )

  const count = (what: keyof typeof seen): void => {
    seen[what] += 1
    for (const look of Array.from(watchers)) look()
  }

  const attempts = (intent: Intent): Effect.Effect<Result> =>
    call(attempt(intent)).pipe(
      Effect.map((result = { answer: "open" }): Result => {
        if (result.answer === "open") count("unavailable")
        return result
      }),
      // A plain message could be sent twice.
      Effect.repeat({
        ...again,
        while: ({ answer }) => answer === "open" && intent.kind !== "plain",
      }),
    )

  /** Checks one wrong code in two, and then the right one. */
  const check = Effect.fnUntraced(function* (sent: Outcome) {
    const code = options.codeFor(phoneNumberOf(sent))
    if (code === undefined) return
    const organization = OrganizationId(sent.organization)
    const requestId = String(sent.subject)
    const checked = (code: string) =>
      call(
        Effect.match(
          Verifications.use((_) => _.check({ organization, requestId, code: Redacted.make(code) })),
          { onFailure: ({ _tag }) => _tag, onSuccess: () => "Verified" as const },
        ),
      )
    const wrongCodes = { answered: 0, open: 0 }
    if (draw() < 0.5) {
      const result = yield* checked(`${(Number(code[0]) + 1) % 10}${code.slice(1)}`)
      wrongCodes[result === "WrongCode" ? "answered" : "open"] += 1
    }
    const result = yield* Effect.repeat(checked(code), {
      ...again,
      while: (result) => result === undefined || result === "StoreUnavailable",
    })
    const isOther = result !== undefined && result !== "StoreUnavailable" && result !== "Verified"
    if (isOther && sent.id >= mark) {
      problems.push(`I21: the right code of ${keyOf(sent)} got ${result}`)
    }
    note({ ...sent, wrongCodes, isVerified: result === "Verified" })
  })

  const settle = Effect.fnUntraced(function* ({ id, kind, organization }: Intent) {
    const open: Outcome = { id, kind, organization, answer: "open" }
    note(open)
    const result = { ...open, ...(yield* attempts(open)) }
    note(result)
    return result
  })

  const begin = Effect.fnUntraced(function* (intent: Intent) {
    const result = yield* settle(intent)
    if (intent.kind === "code" && result.answer === "done") yield* check(result)
  })

  const repeat = Effect.fnUntraced(function* (earlier: Outcome) {
    const { answer, isForgotten, subject } = yield* attempts(earlier)
    const isSame = answer === "open" || (answer === "done" && subject === earlier.subject)
    if (isSame || earlier.id < mark) return
    // The end shows whether the rows are gone.
    if (isForgotten === true) return note({ ...(outcomes.get(earlier.id) ?? earlier), isForgotten })
    problems.push(`I10: ${keyOf(earlier)} was ${earlier.subject}, and is ${answer} ${subject}`)
  })

  /** Brings a report to a node, and one in ten to two of them. */
  const bring = Effect.fnUntraced(function* (report: DeliveryReport) {
    const received = call(
      Effect.match(
        Reports.use((_) => _.receive(report)),
        { onFailure: () => "open" as const, onSuccess: () => "done" as const },
      ),
    ).pipe(Effect.repeat({ ...again, while: (result) => result !== "done" }))
    const results = yield* Effect.replicateEffect(received, draw() < 0.1 ? 2 : 1)
    if (!results.includes("done")) options.reports.push(report)
  })

  const bringOne = Effect.suspend(() => {
    const report = options.reports.shift()
    return report === undefined ? Effect.void : bring(report)
  })

  const one = Effect.suspend(() => {
    const earlier = outcomes.get(Math.floor(mark + draw() * (next - mark)))
    const isRepeated = earlier?.answer === "done" && earlier.kind !== "plain"
    if (isRepeated && draw() < 0.1) return repeat(earlier)
    const [kind, organization] = [oneOf(draw, kinds), oneOf(draw, organizations)]
    return begin({ id: next++, kind, organization })
  })

  const end = Effect.sync(() => count("ended"))

  const client = Effect.all([bringOne, one, end], { discard: true }).pipe(
    Effect.repeat({ until: () => isStopped }),
  )

  const further = (what: keyof typeof seen, count: number): Effect.Effect<void> =>
    Effect.callback((resume) => {
      const target = seen[what] + count
      const look = (): void => {
        if (seen[what] < target) return
        watchers.delete(look)
        resume(Effect.void)
      }
      watchers.add(look)
      return Effect.sync(() => void watchers.delete(look))
    })

  return {
    outcomes,
    problems,
    /** Runs all clients until `stop`. */
    run: Effect.all(
      Array.from({ length: options.clients }, () => client),
      {
        concurrency: "unbounded",
        discard: true,
      },
    ),
    stop: (): void => {
      isStopped = true
    },
    /** The database may have lost what has happened until now. */
    mark: (): void => {
      mark = next
    },
    mayBeLost: ({ id }: Intent): boolean => id < mark,
    /** Number of intents that have ended, and of calls without an answer. */
    seen,
    /** Waits until so many further intents have ended. */
    next: (count: number) => further("ended", count),
    /** Waits until a further call has no answer. */
    nextUnavailable: further("unavailable", 1),
    /** Brings all reports that are left. */
    bringAll: Effect.repeat(bringOne, { until: () => options.reports.length === 0 }),
    /** Asks again for what has no answer. */
    resolve: Effect.suspend(() =>
      Effect.forEach(
        [...outcomes.values()].filter(({ answer, kind }) => answer === "open" && kind !== "plain"),
        settle,
        { concurrency: 8, discard: true },
      ),
    ),
  }
}
