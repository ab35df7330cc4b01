/** The calls that check a code, that use a request up, and that do both. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import { Access } from "../../engine/Access.ts"
import type { Parsed } from "../../api/Caller.ts"
import * as Fields from "../../api/internal/fieldProblems.ts"
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
import type { Step } from "../../engine/Admission.ts"
import type * as Call from "../../engine/Call.ts"
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
    problems: Fields.FieldProblems,
    input: Pick<Parsed<Api.CheckVerification>, "client" | "code" | "purpose">,
  ): ValidCode | undefined => {
    const code = problems.parse("code", input.code, Fields.typed)
    const purpose = problems.parse("purpose", input.purpose, Fields.purposeOf)
    const clientName = problems.parse("client", input.client, Fields.clientOf)
    return code && { code, purpose, clientName }
  }

  /** Makes the command that compares a code. */
  const compare = <T extends "CheckCode" | "VerifyCode">(
    call: Call.Call,
    done: Call.Done<never>,
    tag: T,
    organization: Organization.Organization,
    requestId: Ids.RequestId,
    { clientName, code, purpose }: ValidCode,
    idempotency: IdempotentCall | undefined,
    next: (command: Omit<Command<"VerifyCode">, "_tag"> & { readonly _tag: T }) => void,
  ): void => {
    const { id, version } = organization
    const limits = Organization.limitsOf(organization, hostLimits)
    call.andThen(codes.candidates({ organization: id, requestId }, code), done, (candidates) => {
      const made = (client: Command<"VerifyCode">["client"]) => ({
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
        idempotency,
      })
      if (clientName === undefined) return next(made(undefined))
      call.andThen(codes.client(id, clientName), done, (client) => next(made(client)))
    })
  }

  const countCheck = (call: Call.Call, outcome: string): void =>
    Telemetry.count(Telemetry.checks, { outcome })(call.context)

  const check: Step<
    Parsed<Api.CheckVerification>,
    Api.CheckedVerification,
    Api.CheckError | StaleSettings
  > = (call, done, input, organization) => {
    const problems = new Fields.FieldProblems()
    const valid = validCode(problems, input)
    const isByNumber = input.requestId === undefined && input.phoneNumber !== undefined
    const id = isByNumber ? "none" : problems.parse("requestId", input.requestId, Fields.given)
    const phoneNumber = isByNumber
      ? problems.parse("phoneNumber", input.phoneNumber, (text) =>
          text === undefined ? Fields.required : numberPolicy.parse(text, "required"),
        )
      : undefined
    if (valid === undefined || id === undefined || problems.error !== undefined) {
      return call.run(access.refuse(organization, problems.error ?? Fields.invalid), done)
    }
    const checkOf = (requestId: Ids.RequestId) =>
      compare(call, done, "CheckCode", organization, requestId, valid, undefined, (command) =>
        call.andThen(commits.run(command), done, (result) => {
          countCheck(call, result._tag)
          if (result._tag !== "Verified") return call.run(notAccepted(requestId, result), done)
          const { isFirst, phoneNumber, verifiedAt } = result
          const checked = {
            requestId,
            phoneNumber,
            status: "verified",
            verifiedAt,
            isFirst,
          } as const
          done(Exit.succeed(checked))
        }),
      )
    if (phoneNumber === undefined) return checkOf(Fields.requestIdOf(id))
    call.andThen(newestPending(organization.id, phoneNumber), done, (found) =>
      checkOf(found ?? Fields.requestIdOf("none")),
    )
  }

  const newestPending = (organization: Ids.OrganizationId, phoneNumber: PhoneNumber.PhoneNumber) =>
    Effect.map(
      store.recipient(organization, phoneNumber),
      (found) => found && Recipient.pendingAt(found.recipient, found.now).at(-1)?.requestId,
    )

  /** The fields that a call which uses a request up adds to the comparison or has alone. */
  const usedFields = (problems: Fields.FieldProblems, input: Parsed<Api.ConsumeVerification>) => {
    checkKey(problems, input)
    const id = problems.parse("requestId", input.requestId, Fields.notEmpty)
    const audience = problems.value("audience", input.audience)
    if (audience !== undefined) problems.printable("audience", audience, maxAudience)
    return id === undefined ? undefined : { requestId: Fields.requestIdOf(id), audience }
  }

  const verifyFor: Step<
    Parsed<Api.VerifyCode>,
    Api.ConsumedVerification,
    Api.CheckError | CallError
  > = (call, done, input, organization, { keyed }) => {
    const problems = new Fields.FieldProblems()
    const used = usedFields(problems, input)
    const valid = validCode(problems, input)
    if (valid === undefined || used === undefined || problems.error !== undefined) {
      return call.run(access.refuse(organization, problems.error ?? Fields.invalid), done)
    }
    const { audience, requestId } = used
    const { purpose = null } = valid
    const code = { ...valid, purpose }
    compare(call, done, "VerifyCode", organization, requestId, code, keyed, (command) =>
      call.andThen(commits.runOnce(command), done, (result) => {
        if (result._tag !== "Consumed") {
          countCheck(call, result._tag)
          return call.run(notAccepted(requestId, result), done)
        }
        countCheck(call, "Verified")
        call.run(
          consumed(result.verification, result.verifiedAt, result.consumedAt, audience),
          done,
        )
      }),
    )
  }

  /** The row and the signature are the same for every repeat. */
  const consumedBefore = Effect.fnUntraced(function* (
    _: unknown,
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
  ): Effect.Effect<Api.ConsumedVerification> => {
    const facts = { requestId, phoneNumber, purpose, metadata, verifiedAt, consumedAt }
    const shown = (proof: Api.ConsumedVerification["proof"]) =>
      ({ ...facts, status: "verified", proof }) as const
    if (proofs === undefined) return Effect.succeed(shown(undefined))
    const to = typeof audience === "string" ? audience : undefined
    return Effect.map(proofs.sign({ ...facts, organization, audience: to }), shown)
  }

  const consumeFor: Step<
    Parsed<Api.ConsumeVerification>,
    Api.ConsumedVerification,
    Api.ConsumeError | CallError
  > = (call, done, input, organization, { keyed: idempotency }) => {
    const problems = new Fields.FieldProblems()
    const used = usedFields(problems, input)
    const purpose = problems.parse("purpose", input.purpose, Fields.purposeOf)
    if (used === undefined || problems.error !== undefined) {
      return call.run(access.refuse(organization, problems.error ?? Fields.invalid), done)
    }
    const { audience, requestId } = used
    const { id: owner, version } = organization
    const { profile } = hostLimits
    const about = { organization: owner, version, requestId, purpose, profile, idempotency }
    call.andThen(commits.runOnce({ _tag: "ConsumeVerification", ...about }), done, (result) =>
      call.run(
        result._tag === "Consumed"
          ? consumed(result.verification, result.verifiedAt, result.consumedAt, audience)
          : Effect.fail(requestError(requestId, result)),
        done,
      ),
    )
  }

  /** The code as it is compared: a repeat with other digits is another call. */
  const compared = ({ code, ...input }: Parsed<Api.VerifyCode>) => {
    const text = FieldProblem.isFieldProblem(code) ? "" : normalize(Redacted.value(code))
    return { ...input, code: text }
  }

  return {
    check,
    verify: idempotency.once("verifyCode", verifyFor, consumedBefore, compared),
    consume: idempotency.once("consume", consumeFor, consumedBefore),
  }
})
