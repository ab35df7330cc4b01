/** The calls that check a code, that use a request up, and that do both. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { Access } from "../../engine/Access.ts"
import type { Parsed } from "../../api/Caller.ts"
import * as Fields from "../../api/internal/codeFields.ts"
import { FieldProblems } from "../../api/internal/fieldProblems.ts"
import type * as Api from "../../api/verifications.ts"
import type { Command } from "../../decide/Command.ts"
import { RequestNotFound } from "../../domain/errors/Errors.ts"
import { Limits } from "../../domain/limits/Limits.ts"
import * as Organization from "../../domain/organizations/Organization.ts"
import * as FieldProblem from "../../domain/values/FieldProblem.ts"
import type { IdempotentCall } from "../../domain/values/IdempotencyKey.ts"
import type * as Ids from "../../domain/values/Ids.ts"
import * as PhoneNumber from "../../domain/values/PhoneNumber.ts"
import { normalize } from "../../domain/verifications/CodeText.ts"
import * as Recipient from "../../domain/verifications/Recipient.ts"
import type * as Verification from "../../domain/verifications/Verification.ts"
import { Codes } from "../../engine/Codes.ts"
import { notAccepted, requestError } from "../../engine/CommandErrors.ts"
import { type CallError, Commits, type StaleSettings } from "../../engine/Commits.ts"
import { rulesInForce } from "../../engine/FraudRules.ts"
import { checkKey, makeIdempotency } from "../../engine/Idempotency.ts"
import * as Telemetry from "../../engine/Telemetry.ts"
import { TestNumbers } from "../../engine/TestNumbers.ts"
import { Proofs } from "../../ports/Proofs.ts"
import { Store } from "../../ports/Store.ts"

const maxAudience = 200

/** A code whose fields are valid. */
interface ValidCode {
  readonly code: Redacted.Redacted<string>
  readonly purpose: string | null | undefined
  readonly clientName: string | undefined
}

export const makeChecks = Effect.gen(function* () {
  const access = yield* Access
  const codes = yield* Codes
  const commits = yield* Commits
  const store = yield* Store
  const hostLimits = yield* Limits
  const idempotency = yield* makeIdempotency
  const numberPolicy = yield* PhoneNumber.NumberPolicy
  const proofs = yield* Proofs
  const rules = yield* rulesInForce
  const { numbers: testNumbers } = yield* TestNumbers

  const validCode = (
    problems: FieldProblems,
    input: Pick<Parsed<Api.CheckVerification>, "client" | "code" | "purpose">,
  ): ValidCode | undefined => {
    const code = problems.parse("code", input.code, Fields.typed)
    const purpose = problems.parse("purpose", input.purpose, Fields.purposeOf)
    const clientName = problems.parse("client", input.client, Fields.clientOf)
    return code && { code, purpose, clientName }
  }

  /** The command that compares a code. Without generators, which took two percent of a check. */
  const comparisonOf = <T extends "CheckCode" | "VerifyCode">(
    tag: T,
    organization: Organization.Organization,
    requestId: Ids.RequestId,
    { clientName, code, purpose }: ValidCode,
    call: IdempotentCall | undefined,
  ) => {
    const { id, version } = organization
    const limits = Organization.limitsOf(organization, hostLimits)
    const made = (
      candidates: Command<"CheckCode">["candidates"],
      client: Command<"CheckCode">["client"],
    ) => ({
      _tag: tag,
      organization: id,
      version,
      requestId,
      candidates,
      purpose,
      limits,
      rules,
      testNumbers,
      client,
      idempotency: call,
    })
    const candidates = codes.candidates({ organization: id, requestId }, code)
    return clientName === undefined
      ? Effect.map(candidates, (found) => made(found, undefined))
      : Effect.zipWith(candidates, codes.client(id, clientName), made)
  }

  const check = (
    input: Parsed<Api.CheckVerification>,
    organization: Organization.Organization,
  ): Effect.Effect<Api.CheckedVerification, Api.CheckError | StaleSettings> => {
    const problems = new FieldProblems()
    const valid = validCode(problems, input)
    const isByNumber = input.requestId === undefined && input.phoneNumber !== undefined
    const id = isByNumber ? "none" : problems.parse("requestId", input.requestId, Fields.given)
    const phoneNumber = isByNumber
      ? problems.parse("phoneNumber", input.phoneNumber, (text) =>
          text === undefined ? Fields.required : numberPolicy.parse(text, "required"),
        )
      : undefined
    if (valid === undefined || id === undefined || problems.error !== undefined) {
      return access.refuse(organization, problems.error ?? Fields.invalid)
    }
    const checkOf = (requestId: Ids.RequestId) =>
      comparisonOf("CheckCode", organization, requestId, valid, undefined).pipe(
        Effect.flatMap((command) => commits.run(command)),
        Effect.tap((outcome) => Telemetry.increment(Telemetry.checks, { outcome: outcome._tag })),
        Effect.flatMap((outcome): Effect.Effect<Api.CheckedVerification, Api.CheckError> => {
          if (outcome._tag !== "Verified") return notAccepted(requestId, outcome)
          const { isFirst, phoneNumber, verifiedAt } = outcome
          return Effect.succeed({ requestId, phoneNumber, status: "verified", verifiedAt, isFirst })
        }),
      )
    return phoneNumber === undefined
      ? checkOf(Fields.requestIdOf(id))
      : Effect.flatMap(newestPending(organization.id, phoneNumber), (found) =>
          checkOf(found ?? Fields.requestIdOf("none")),
        )
  }

  const newestPending = (organization: Ids.OrganizationId, phoneNumber: PhoneNumber.PhoneNumber) =>
    Effect.map(
      store.recipient(organization, phoneNumber),
      (found) => found && Recipient.pendingAt(found.recipient, found.now).at(-1)?.requestId,
    )

  /** The fields that a call which uses a request up adds to the comparison or has alone. */
  const usedFields = (problems: FieldProblems, input: Parsed<Api.ConsumeVerification>) => {
    checkKey(problems, input)
    const id = problems.parse("requestId", input.requestId, Fields.notEmpty)
    const audience = problems.value("audience", input.audience)
    if (audience !== undefined) problems.printable("audience", audience, maxAudience)
    return id === undefined ? undefined : { requestId: Fields.requestIdOf(id), audience }
  }

  const verify = (input: Parsed<Api.VerifyCode>, organization: Organization.Organization) => {
    const { code } = input
    const text = FieldProblem.isFieldProblem(code) ? "" : normalize(Redacted.value(code))
    // With the code as it is compared: a repeat with other digits is another call.
    const keyed = { ...input, code: text }
    return idempotency.once(
      "verifyCode",
      keyed,
      (call) => verifyFor(input, organization, call),
      () => consumedBefore(input, organization),
    )
  }

  const verifyFor = (
    input: Parsed<Api.VerifyCode>,
    organization: Organization.Organization,
    call: IdempotentCall | undefined,
  ): Effect.Effect<Api.ConsumedVerification, Api.CheckError | CallError> => {
    const problems = new FieldProblems()
    const used = usedFields(problems, input)
    const valid = validCode(problems, input)
    if (valid === undefined || used === undefined || problems.error !== undefined) {
      return access.refuse(organization, problems.error ?? Fields.invalid)
    }
    const { audience, requestId } = used
    const { purpose = null, ...code } = valid
    return comparisonOf("VerifyCode", organization, requestId, { ...code, purpose }, call).pipe(
      Effect.flatMap((command) => commits.runOnce(command)),
      Effect.tap(({ _tag }) =>
        Telemetry.increment(Telemetry.checks, { outcome: _tag === "Consumed" ? "Verified" : _tag }),
      ),
      Effect.flatMap((result) =>
        result._tag === "Consumed"
          ? consumed(result.verification, result.verifiedAt, result.consumedAt, audience)
          : notAccepted(requestId, result),
      ),
    )
  }

  const consume = (
    input: Parsed<Api.ConsumeVerification>,
    organization: Organization.Organization,
  ) =>
    idempotency.once(
      "consume",
      input,
      (call) => consumeFor(input, organization, call),
      () => consumedBefore(input, organization),
    )

  /** The row and the signature are the same for every repeat. */
  const consumedBefore = Effect.fnUntraced(function* (
    { audience, requestId }: Parsed<Api.ConsumeVerification>,
    { id }: Organization.Organization,
  ) {
    const found = yield* store.verification(id, Fields.requestIdOf(String(requestId)))
    const row = found?.verification
    if (row?.status !== "verified" || row.consumedAt === null) return yield* new RequestNotFound()
    return yield* consumed(row, row.verifiedAt, row.consumedAt, audience)
  })

  const consumed = (
    { metadata, organization, phoneNumber, purpose, requestId }: Verification.Verification,
    verifiedAt: number,
    consumedAt: number,
    audience: Parsed<Api.ConsumeVerification>["audience"],
  ) => {
    const facts = { requestId, phoneNumber, purpose, metadata, verifiedAt, consumedAt }
    const to = typeof audience === "string" ? audience : undefined
    const signed = proofs?.sign({ ...facts, organization, audience: to }) ?? Effect.undefined
    return Effect.map(signed, (proof): Api.ConsumedVerification => ({
      ...facts,
      status: "verified",
      proof,
    }))
  }

  const consumeFor = Effect.fnUntraced(function* (
    input: Parsed<Api.ConsumeVerification>,
    organization: Organization.Organization,
    idempotency: IdempotentCall | undefined,
  ) {
    const problems = new FieldProblems()
    const used = usedFields(problems, input)
    const purpose = problems.parse("purpose", input.purpose, Fields.purposeOf)
    if (used === undefined || problems.error !== undefined) {
      return yield* access.refuse(organization, problems.error ?? Fields.invalid)
    }
    const { audience, requestId } = used
    const { id: owner, version } = organization
    const { profile } = hostLimits
    const about = { organization: owner, version, requestId, purpose, profile, idempotency }
    const result = yield* commits.runOnce({ _tag: "ConsumeVerification", ...about })
    if (result._tag !== "Consumed") return yield* requestError(requestId, result)
    return yield* consumed(result.verification, result.verifiedAt, result.consumedAt, audience)
  })

  return { check, verify, consume }
})
