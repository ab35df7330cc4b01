/**
 * Detects SMS pumping by the rules of `PrefixStats`, and reports suspicious prefixes to the host.
 *
 * The commit that sends a code applies the rules, so they hold on all nodes together. Without rules, the
 * engine counts nothing.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Access } from "../engine/Access.ts"
import { made } from "../engine/FraudRules.ts"
import type { InvalidRequest } from "../domain/errors/Errors.ts"
import * as Duration from "../domain/values/Duration.ts"
import * as FraudDryRun from "../domain/fraud/FraudDryRun.ts"
import type { OrganizationId } from "../domain/values/Ids.ts"
import * as PhoneNumber from "../domain/values/PhoneNumber.ts"
import * as Prefixes from "../domain/values/PrefixList.ts"
import type { Verification } from "../domain/verifications/Verification.ts"
import type { fraud } from "../api/fraud.ts"
import type * as Operation from "../api/Operation.ts"
import { Store } from "../ports/Store.ts"
import * as PrefixStats from "../domain/fraud/PrefixStats.ts"
import { FieldProblems } from "../api/internal/fieldProblems.ts"
import { pageLimit } from "../api/internal/pageLimit.ts"
import { TestNumbers } from "../engine/TestNumbers.ts"

export type Trial = Operation.Inputs<typeof fraud>["dryRun"]

/** Maximum number of messages that a trial examines. */
export const maxTried = 50_000

/** Number of messages that it examines at a time. */
const trialPage = 2_000

export class Fraud extends Context.Service<Fraud, Operation.HostMethods<typeof fraud>>()(
  "@countersign/core/services/Fraud",
) {}

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
      const size = { limit: trialPage, examine: trialPage }
      const page = { phoneNumber: undefined, from, to, before, ...size }
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
    /**
     * Examines the newest messages of the period by the prefixes and test numbers of now, and begins without counts.
     * Resends are not tried.
     */
    dryRun: Effect.fn("Fraud.dryRun")(function* (trial) {
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
      const result = FraudDryRun.run(id, codes, tried)
      return {
        ...result,
        findings: result.findings.slice(-maxShown).toReversed(),
        prefixes: result.prefixes.slice(0, maxShown),
        erased: requests.length - known.length,
        examinedFrom,
      }
    }),
    findings: Effect.fn("Fraud.findings")(({ limit, organization }) =>
      store.findings(organization, pageLimit(limit)),
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
    if (name !== "windowMillis") problems.fail(name, "out_of_range", { min, max })
    else {
      const bounds = { min: Duration.format(min), max: Duration.format(max) }
      problems.fail("window", "duration_out_of_range", bounds)
    }
  }
  problems.period({ from, to })
  return problems.error
}
