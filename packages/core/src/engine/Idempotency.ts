/** Calls with an idempotency key. A repeat has no effect and gets the first answer. */
import * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { Caller, Parsed } from "../api/Caller.ts"
import type { Step } from "./Admission.ts"
import * as Call from "./Call.ts"
import {
  type CommitError,
  Commits,
  RepeatedCall,
  retryUnavailable,
  StaleSettings,
} from "./Commits.ts"
import {
  IdempotencyInFlight,
  IdempotencyMismatch,
  StoreUnavailable,
} from "../domain/errors/Errors.ts"
import * as FieldProblem from "../domain/values/FieldProblem.ts"
import {
  type IdempotencyKey,
  type IdempotentCall,
  maxLength,
} from "../domain/values/IdempotencyKey.ts"
import type { OrganizationId } from "../domain/values/Ids.ts"
import { isObject } from "../domain/values/internal/checks.ts"
import type { Message } from "../domain/messages/Message.ts"
import type * as Organization from "../domain/organizations/Organization.ts"
import { Store } from "../ports/Store.ts"
import * as Answers from "./StoredAnswer.ts"
import { metadataOf, type FieldProblems } from "../api/internal/fieldProblems.ts"
import { utf8 } from "./internal/utf8.ts"

/** The input of a call that may have a key. */
export type Keyed = Parsed<Caller & { readonly idempotencyKey?: string | undefined }>

/** Adds the problem of a key. */
export const checkKey = (problems: FieldProblems, { idempotencyKey }: Keyed): void => {
  const key = problems.value("idempotencyKey", idempotencyKey)
  if (key !== undefined) problems.printable("idempotencyKey", key, maxLength)
}

export const makeIdempotency = Effect.gen(function* () {
  const commits = yield* Commits
  const digest = yield* Digest.Digest
  const store = yield* Store
  const sha256 = (text: string) => Effect.orDie(digest.digest(Digest.sha256, utf8(text)))

  /** The key is part of the fingerprint: without it, the digest of a short input could be guessed. */
  const callOf = (endpoint: string, key: string, input: Keyed): Effect.Effect<IdempotentCall> =>
    Effect.zipWith(
      sha256(`${endpoint}\n${key}`),
      sha256(JSON.stringify([key, fieldsOf(input)])),
      (id, fingerprint) => ({ id: Hex.encode(id), fingerprint }),
    )

  /**
   * Answers the repeat of a call with `answerTo`. A call that was refused before it reached the store may be a
   * repeat as well, because settings have changed since. `compared`: the input as repeats are compared.
   */
  const once =
    <I extends Keyed, A, E, E2>(
      endpoint: "messages" | "verify" | "resend" | "consume" | "verifyCode",
      step: Step<I, A, E | RepeatedCall | IdempotencyMismatch>,
      answerTo: (
        repeated: RepeatedCall,
        input: I,
        organization: Organization.Organization,
      ) => Effect.Effect<A, E2>,
      compared: (input: I) => Keyed = (input) => input,
    ): Step<I, A, E | E2 | IdempotencyMismatch> =>
    (call, done, input, organization, admission) => {
      const { idempotencyKey: key } = input
      const repeat = (error: RepeatedCall) => answerTo(error, input, organization)
      const ended = Call.catching<A, E | RepeatedCall | IdempotencyMismatch>(done, (error) => {
        const { keyed } = admission
        if (isRepeated(error))
          call.run(keyed === undefined ? Effect.die(error) : repeat(error), done)
        else if (keyed === undefined || isFinal(error)) done(Exit.fail(error))
        else call.run(ofFirst(input.organization, keyed, error, repeat), done)
      })
      if (key === undefined || FieldProblem.isFieldProblem(key)) {
        return step(call, ended, input, organization, admission)
      }
      call.andThen(callOf(endpoint, key, compared(input)), done, (keyed) => {
        admission.keyed = keyed
        step(call, ended, input, organization, admission)
      })
    }

  /** The answer to the first call, if there was one; otherwise the error of this one. */
  const ofFirst = <A, E, E2>(
    organization: OrganizationId,
    idempotency: IdempotentCall,
    error: E,
    repeat: (error: RepeatedCall) => Effect.Effect<A, E2>,
  ) =>
    Effect.matchEffect(commits.runOnce({ _tag: "FindCall", organization, idempotency }), {
      onSuccess: () => Effect.fail(error),
      onFailure: (found): Effect.Effect<A, E | E2 | IdempotencyMismatch> => {
        if (isRepeated(found)) return repeat(found)
        return Effect.fail(found instanceof IdempotencyMismatch ? found : error)
      },
    })

  const answered = <S extends Answers.Sent>(
    answer: Answers.Answer,
    isSent: (answer: Answers.Answer) => answer is S,
  ): Effect.Effect<S, Answers.Failure> => {
    if (Answers.isFailure(answer)) return Effect.fail(answer)
    return isSent(answer) ? Effect.succeed(answer) : Effect.die(new Error("Unexpected answer"))
  }

  /** Records the answer of a call that has had its effect, before the caller gets it. The first one counts. */
  const record = <S extends Answers.Sent, E>(
    organization: OrganizationId,
    keyed: Pick<IdempotentCall, "id"> | undefined,
    isSent: (answer: Answers.Answer) => answer is S,
    outcome: Exit.Exit<S, E>,
  ): Effect.Effect<S, E | Answers.Failure | CommitError> => {
    if (keyed === undefined) return outcome
    const failure = Option.filter(Exit.findErrorOption(outcome), Answers.isFailure)
    const answer = Exit.isSuccess(outcome) ? outcome.value : Option.getOrUndefined(failure)
    if (answer === undefined) return outcome
    return Effect.flatMap(
      retryUnavailable(
        commits.run({
          _tag: "RecordAnswer",
          organization,
          idempotencyId: keyed.id,
          answer: Answers.encode(answer),
        }),
      ),
      (recorded) =>
        answered(recorded._tag === "Answered" ? Answers.decode(recorded.answer) : answer, isSent),
    )
  }

  /** Answers a repeat of a call that has charged a message: as recorded, or as the rows tell. */
  const answerTo =
    <S extends Answers.Sent, A, E>(
      isSent: (answer: Answers.Answer) => answer is S,
      derive: (message: Message, key: IdempotencyKey, now: number) => Effect.Effect<S, E>,
      restore: (sent: S, message: Message, key: IdempotencyKey) => A,
    ) =>
    ({ key, now }: RepeatedCall) =>
      Effect.gen(function* () {
        const { answer, messageSequence: sequence, organization } = key
        const read =
          sequence === null ? undefined : yield* store.message({ organization, sequence })
        const message = read?.message
        // Retention has dropped it.
        if (message === undefined) return yield* Answers.unknown
        const sent =
          answer === null
            ? yield* record(
                organization,
                key,
                isSent,
                yield* Effect.exit(derive(message, key, now)),
              )
            : yield* answered(Answers.decode(answer), isSent)
        return restore(sent, message, key)
      })

  return { once, record, answerTo }
})

/** The input of any call with a key. */
interface AnyKeyed extends Keyed {
  readonly client?: unknown
  readonly metadata?: unknown
}

/**
 * The fields that determine the effect of a call, through any interface. The client is not one of them: the same
 * visitor may repeat a call from another address, and a repeat counts for no client.
 */
const fieldsOf = ({ address: _address, client: _client, apiKeyId: _apiKey, ...fields }: AnyKeyed) =>
  canonical({ ...fields, metadata: valueOf(fields.metadata) })

/** The value of valid metadata; otherwise the text, for which the call is refused. */
const valueOf = (metadata: unknown): unknown => {
  const text = typeof metadata === "string" ? metadataOf(metadata) : undefined
  return text === undefined || Result.isFailure(text) ? metadata : JSON.parse(text.success ?? "")
}

/** The value with the members of each object in alphabetical order. */
const canonical = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(canonical)
  if (!isObject(value)) return value
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(members.map(([name, member]) => [name, canonical(member)]))
}

const isRepeated = (error: unknown): error is RepeatedCall => error instanceof RepeatedCall

/** Errors that say nothing about the first call, or all of it. */
const isFinal = (error: unknown): boolean =>
  error instanceof StaleSettings ||
  error instanceof StoreUnavailable ||
  error instanceof IdempotencyMismatch ||
  error instanceof IdempotencyInFlight
