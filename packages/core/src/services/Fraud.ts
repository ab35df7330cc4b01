/**
 * Detects SMS pumping by the rules of `PrefixStats`, and reports suspicious prefixes to the host.
 *
 * The commit that sends a code applies the rules, so they hold on all nodes together. Without rules, the
 * engine counts nothing.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Access, type HostEffect } from "./Access.ts"
import type { InvalidRequest, StoreUnavailable } from "../domain/Errors.ts"
import * as Duration from "../domain/Duration.ts"
import * as FieldProblem from "../domain/FieldProblem.ts"
import * as FraudTrial from "../domain/FraudTrial.ts"
import type { OrganizationId } from "../domain/Ids.ts"
import * as PhoneNumber from "../domain/PhoneNumber.ts"
import * as Prefixes from "../domain/Prefixes.ts"
import type { Verification } from "../domain/Verification.ts"
import type { FraudOptions, FraudRules as PlainRules } from "./Inputs.ts"
import { Store } from "../ports/Store.ts"
import * as PrefixStats from "../domain/PrefixStats.ts"
import { FieldProblems, timeRange } from "./internal/fieldProblems.ts"
import { pageLimit } from "./internal/pageLimit.ts"
import { TestNumbers } from "./TestNumbers.ts"

/** The fraud rules in force, for every organization. `undefined`: fraud detection is off. */
export const FraudRules = Context.Reference<PrefixStats.Rules | undefined>(
  "@countersign/core/FraudRules",
  { defaultValue: () => undefined },
)

export interface Options extends FraudOptions {
  /** Length of a window: 1 second to 31 days. @defaultValue `"1 hour"` */
  readonly window?: Duration.Input | undefined
}

const made = (options: Options): PrefixStats.Rules => ({
  prefixDigits: options.prefixDigits ?? 5,
  windowMillis: Duration.millisOfOption("window", options.window ?? "1 hour"),
  maxSent: options.maxSent,
  minSent: options.minSent ?? 100,
  minConversion: options.minConversion ?? 0,
  action: options.action ?? "record",
})

/** Makes rules from options. Throws a `RangeError` if an option is invalid. */
export const rules = (options: Options): PrefixStats.Rules => {
  const rules = made(options)
  const [problem] = PrefixStats.problems(rules)
  if (problem !== undefined) throw new RangeError(PrefixStats.sentence(problem))
  return rules
}

/** Applies the rules in every engine that is built over this layer. */
export const layerRules = (options: Options): Layer.Layer<never> =>
  Layer.succeed(FraudRules, rules(options))

/** The rules in force, without test numbers, whose codes indicate nothing about their prefix. */
export const rulesInForce = Effect.gen(function* () {
  const rules = yield* FraudRules
  const { numbers } = yield* TestNumbers
  return rules === undefined || numbers.size === 0 ? rules : { ...rules, exempt: numbers }
})

export interface Trial {
  readonly organization: OrganizationId
  /** The rules to try. @defaultValue `action`: `deny` */
  readonly rules: PlainRules
  /** Epoch milliseconds, inclusive. @defaultValue no bound */
  readonly from?: number | undefined
  readonly to?: number | undefined
}

export interface TrialResult extends FraudTrial.Result {
  /** Codes to numbers that were erased. The rules were not tried on them. */
  readonly erased: number
  /** The trial covers the requests from this time on. `null`: all requests of the period. */
  readonly examinedFrom: number | null
}

/** Maximum number of messages that a trial examines. */
export const maxTried = 50_000

/** Number of messages that it examines at a time. */
const trialPage = 2_000

export class Fraud extends Context.Service<
  Fraud,
  {
    /** Findings of an organization, newest first; at most 1,000. @defaultValue `limit`: 100 */
    readonly findings: (
      organization: OrganizationId,
      query?: { readonly limit?: number | undefined },
    ) => Effect.Effect<ReadonlyArray<PrefixStats.Finding>, StoreUnavailable>
    /**
     * What rules would have found and denied among the past requests of an organization. Changes nothing. Examines
     * the newest messages of the period, at most 50,000, by the prefixes and test numbers of now, and begins without
     * counts. Resends are not tried.
     */
    readonly trial: (trial: Trial) => HostEffect<TrialResult, InvalidRequest>
  }
>()("@countersign/core/services/Fraud") {}

const make = Effect.gen(function* () {
  const access = yield* Access
  const store = yield* Store
  const { numbers: exempt } = yield* TestNumbers

  /** The past requests and the messages that were not sent, newest first, as far as a trial may look. */
  const past = Effect.fnUntraced(function* (organization: OrganizationId, { from, to }: Trial) {
    const requests: Array<Verification> = []
    const unsent = new Set<number>()
    let before: number | undefined
    for (let examined = 0; examined < maxTried; examined += trialPage) {
      const page = {
        phoneNumber: undefined,
        from,
        to,
        before,
        limit: trialPage,
        examine: trialPage,
      }
      const found = yield* store.searchVerifications(organization, {
        ...page,
        statuses: ["pending", "verified", "failed"],
      })
      const messages = yield* store.searchMessages(organization, {
        ...page,
        statuses: ["failed", "rejected"],
        gateway: undefined,
        gatewayId: undefined,
      })
      requests.push(...(found?.rows ?? []))
      for (const { gatewayId, sequence } of messages?.rows ?? []) {
        if (gatewayId === null) unsent.add(sequence)
      }
      before = found?.next
      if (before === undefined) break
    }
    // The next page begins before this message, which was the last to be examined.
    const last =
      before === undefined ? undefined : yield* store.message({ organization, sequence: before })
    return {
      requests: requests.toReversed(),
      unsent,
      examinedFrom: last?.message?.createdAt ?? null,
    }
  })

  return Fraud.of({
    trial: Effect.fn("Fraud.trial")(function* (trial) {
      const { action = "deny" } = trial.rules
      const tried = { ...made({ ...trial.rules, action }), exempt }
      const problem = problemIn(tried, trial)
      if (problem !== undefined) return yield* problem
      const { id, settings } = yield* access.load(trial.organization)
      const { examinedFrom, requests, unsent } = yield* past(id, trial)
      const known = requests.filter(({ phoneNumber }) => !PhoneNumber.isErased(phoneNumber))
      const codes = known.flatMap((request) => {
        const { createdAt, phoneNumber, verifiedAt } = request
        const isExempt = Prefixes.isExempt(settings, phoneNumber)
        const prefix = isExempt ? null : PrefixStats.prefixOf(phoneNumber, tried)
        const isUnsent = wasUnsent(request, unsent)
        return prefix === null ? [] : [{ prefix, createdAt, verifiedAt, isUnsent }]
      })
      const result = FraudTrial.run(id, codes, tried)
      return {
        ...result,
        findings: result.findings.slice(-maxShown).toReversed(),
        prefixes: result.prefixes.slice(0, maxShown),
        erased: requests.length - known.length,
        examinedFrom,
      }
    }),
    findings: Effect.fn("Fraud.findings")((organization, query) =>
      store.findings(organization, pageLimit(query?.limit)),
    ),
  })
})

export const layer = Layer.effect(Fraud, make)

/** Maximum number of findings, and of prefixes, in the result of a trial. */
const maxShown = 1_000

/** Whether a request has failed because its code was not sent. */
const wasUnsent = (request: Verification, unsent: ReadonlySet<number>): boolean =>
  request.status === "failed" &&
  request.attemptsRemaining > 0 &&
  !request.mayHaveArrived &&
  unsent.has(request.messageSequence)

const problemIn = (
  rules: PrefixStats.Rules,
  { from, to }: Pick<Trial, "from" | "to">,
): InvalidRequest | undefined => {
  const problems = new FieldProblems()
  for (const { max, min, name } of PrefixStats.problems(rules)) {
    if (name !== "windowMillis") problems.add(name, FieldProblem.make("out_of_range", { min, max }))
    else {
      const bounds = { min: Duration.format(min), max: Duration.format(max) }
      problems.add("window", FieldProblem.make("duration_out_of_range", bounds))
    }
  }
  if (from !== undefined) problems.integer("from", from, timeRange)
  if (to !== undefined) problems.integer("to", to, timeRange)
  if (from !== undefined && to !== undefined && from > to) {
    problems.add("from", FieldProblem.make("after_to", {}))
  }
  return problems.error
}
