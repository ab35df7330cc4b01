import type { CallbackOutcome } from "../../src/Adapter.ts"

/** An outcome without what `Evidence.test.ts` is about. */
export const withoutEvidence = (outcome: CallbackOutcome): CallbackOutcome =>
  outcome._tag === "Reports"
    ? { ...outcome, reports: outcome.reports.map(({ evidence: _, ...report }) => report) }
    : outcome
