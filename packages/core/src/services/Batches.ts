/**
 * Batches: messages of one text to many recipients. They wait in the outbox, each batch in a queue of its own, and
 * `OutboxDelivery` sends them.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type { AccessError, Caller, HostEffect } from "../api/Caller.ts"
import type * as Api from "../api/batches.ts"
import type { batches } from "../api/batches.ts"
import { FieldProblems, idOf } from "../api/internal/fieldProblems.ts"
import { pageLimit } from "../api/internal/pageLimit.ts"
import type * as Operation from "../api/Operation.ts"
import type { OwnResult } from "../decide/Command.ts"
import * as Errors from "../domain/errors/Errors.ts"
import type * as Organization from "../domain/organizations/Organization.ts"
import * as Domain from "../domain/outbox/Batch.ts"
import type { OrganizationId } from "../domain/values/Ids.ts"
import * as Money from "../domain/values/Money.ts"
import { Access } from "../engine/Access.ts"
import { Commits, retryUnavailable, withoutVersion } from "../engine/Commits.ts"
import { checkKey } from "../engine/Idempotency.ts"
import { newId } from "../engine/internal/newId.ts"
import type { BatchPlace } from "../ports/BatchRows.ts"
import { Store } from "../ports/Store.ts"
import { makeBatchIds } from "./internal/batchIds.ts"
import { blocksOf, isRecipients, readRecipient, refusedRow } from "./internal/batchRecipients.ts"
import { readPlace, shown, writePlace } from "./internal/shownBatch.ts"
import { checkTimes } from "./internal/sendTimes.ts"
import { type Judged, Messages } from "./Messages.ts"

export type * from "../api/batches.ts"
export { isRecipients } from "./internal/batchRecipients.ts"

/** A text to recipients. */
export interface SendManyInput extends Api.SendMany, Caller {
  readonly organization: OrganizationId
  /** Phone numbers, or recipients with `phoneNumber`, `text` and `values`. */
  readonly recipients: Iterable<unknown> | AsyncIterable<unknown>
  /** Gets every recipient that is not valid, as it was given. */
  readonly onRefused?: ((row: Api.RefusedRecipient, given: unknown) => void) | undefined
}

type WriteError =
  | Errors.InvalidRequest
  | Errors.SenderUnusable
  | Errors.IdempotencyMismatch
  | Errors.BatchUnchangeable
  | AccessError

export class Batches extends Context.Service<
  Batches,
  Operation.HostMethods<typeof batches> & {
    /**
     * Writes a batch, block by block, and then lets it send. A repeat with the same key and the same recipients, in the
     * same order, goes on where an earlier call has ended.
     */
    readonly sendMany: (input: SendManyInput) => Effect.Effect<Api.SentMany, WriteError>
    /** The batch that `sendMany` would write. Writes nothing. */
    readonly estimate: (
      input: SendManyInput,
    ) => Effect.Effect<Api.EstimatedMany, Exclude<WriteError, Errors.BatchUnchangeable>>
  }
>()("@countersign/core/services/Batches") {}

/** Maximum number of recipients of a batch. Default: a million. */
export const MaxRecipients = Context.Reference<number>("@countersign/core/MaxRecipients", {
  defaultValue: () => 1_000_000,
})

/** Number of refused recipients that a result has. */
const maxRefusedRows = 100

/** A recipient whose message could be sent. */
interface Row extends Judged {
  readonly call: string
}

const make = Effect.gen(function* () {
  const access = yield* Access
  const commits = yield* Commits
  const messages = yield* Messages
  const random = yield* SecureRandom.SecureRandom
  const store = yield* Store
  const ids = yield* makeBatchIds

  const termsOf = Effect.fnUntraced(function* (input: SendManyInput) {
    const { channel = "sms", class: messageClass = "transactional", expiresAt = null } = input
    const { pace = null, sendAt = null, sender = null, text = "" } = input
    const problems = new FieldProblems()
    checkTimes(problems, { sendAt: sendAt ?? 0, expiresAt }, yield* Clock.currentTimeMillis)
    checkKey(problems, input)
    if (pace !== null) problems.integer("pace", pace, Domain.paces)
    if (!isRecipients(input.recipients)) problems.fail("recipients", "not_recipients", {})
    if (problems.error !== undefined) return yield* problems.error
    return { text, class: messageClass, channel, sender, sendAt, expiresAt, pace }
  })

  const judge = (
    given: unknown,
    input: SendManyInput,
    organization: Organization.Organization,
  ): Result.Result<Row, Errors.InvalidRequest | Errors.SenderUnusable> =>
    Result.flatMap(readRecipient(given, input.text), ({ phoneNumber, text }) => {
      const { channel, sender } = input
      const call = { text, channel, class: input.class, sender }
      const judged = messages.judge(
        { organization: organization.id, phoneNumber, ...call },
        organization,
      )
      return Result.map(judged, (one) => ({ ...one, call: JSON.stringify(call) }))
    })

  /** Judges all recipients in their order, and gives each block to `use`. */
  const eachBlock = Effect.fnUntraced(function* <E>(
    input: SendManyInput,
    organization: Organization.Organization,
    use: (rows: ReadonlyArray<Row>, items: ReadonlyArray<unknown>) => Effect.Effect<void, E>,
  ) {
    const max = yield* MaxRecipients
    const blocks = blocksOf(input.recipients, Domain.blockSize)
    const refusedRows: Array<Api.RefusedRecipient> = []
    let given = 0
    let refused = 0
    const read = Effect.gen(function* () {
      for (;;) {
        const items = yield* Effect.promise(blocks.next)
        if (items.length === 0) return
        if (given + items.length > max) return yield* problemOf("too_many", { max })
        const rows: Array<Row> = []
        for (const item of items) {
          given += 1
          const judged = judge(item, input, organization)
          if (Result.isSuccess(judged)) {
            rows.push(judged.success)
            continue
          }
          // It is the same for all of them.
          if (judged.failure._tag === "SenderUnusable") return yield* judged.failure
          refused += 1
          const row = refusedRow(given, item, judged.failure)
          input.onRefused?.(row, item)
          if (refusedRows.length < maxRefusedRows) refusedRows.push(row)
        }
        yield* use(rows, items)
      }
    })
    yield* Effect.ensuring(read, Effect.promise(blocks.end))
    if (given === 0) return yield* problemOf("empty", {})
    if (given === refused) return yield* problemOf("no_valid_recipient", {})
    return { refused, refusedRows }
  })

  const estimateOf = Effect.fnUntraced(function* (
    organization: OrganizationId,
    { estimate: price, segments }: Pick<Domain.Batch, "estimate" | "segments">,
  ) {
    const balance = (yield* store.account(organization))?.balance ?? Money.zero
    return { segments, price, balance, isCovered: balance >= price }
  })

  /** Runs a command that may be repeated. */
  const run = <T extends "OpenBatch" | "AddToBatch" | "ChangeBatch">(
    command: Parameters<typeof commits.run<T>>[0],
  ) => withoutVersion(retryUnavailable(commits.run<T>(command)))

  const start = Effect.fnUntraced(function* (input: SendManyInput) {
    const { idempotencyKey: key, organization } = input
    const terms = yield* termsOf(input)
    return {
      organization: yield* access.load(organization),
      terms,
      id:
        key === undefined
          ? yield* newId(random, Domain.batchIdPrefix)
          : yield* ids.ofKey(organization, key),
    }
  })

  const sendMany = Effect.fn("Batches.sendMany")(function* (input: SendManyInput) {
    const { id, organization, terms } = yield* start(input)
    const own = { organization: organization.id, id }
    const ref = { organization: organization.id, batchId: id }
    let batch: Domain.Batch | undefined
    let chain: Uint8Array = new Uint8Array()
    let block = 0
    /** Blocks without a valid recipient, before the first one that has some: a batch without any is not opened. */
    const empty: Array<{
      readonly block: number
      readonly chain: Uint8Array
      readonly refused: number
    }> = []

    const write = Effect.fnUntraced(function* (
      opened: Domain.Batch,
      rows: ReadonlyArray<Row>,
      of: (typeof empty)[number],
    ) {
      // Only the last block of an earlier call proves that it was the same.
      if (of.block < opened.blocks - 1) return opened
      const messageIds = yield* ids.ofNumbers(opened, rows)
      const added = yield* run<"AddToBatch">({
        _tag: "AddToBatch",
        ...ref,
        ...of,
        sends: rows.map(({ call, phoneNumber, price, segments }, index) => ({
          segments,
          price,
          send: {
            organization: organization.id,
            id: messageIds[index] ?? "",
            phoneNumber,
            call,
            orderKey: null,
            queue: id,
            dueAt: terms.sendAt ?? 0,
            expiresAt: terms.expiresAt,
            createdAt: opened.createdAt,
          },
        })),
      })
      return yield* batchIn(added)
    })

    const writing = eachBlock(
      input,
      organization,
      Effect.fnUntraced(function* (rows, items) {
        chain = yield* ids.next(chain, items)
        const of = { block, chain, refused: items.length - rows.length }
        block += 1
        if (batch === undefined && rows.length === 0) return void empty.push(of)
        if (batch === undefined) {
          const fingerprint = yield* ids.fingerprint(terms)
          const salt = yield* random.randomBytes(16)
          const opened = yield* run<"OpenBatch">({
            _tag: "OpenBatch",
            ...ref,
            terms,
            fingerprint,
            salt,
          })
          batch = yield* batchIn(opened)
        }
        for (const one of empty.splice(0)) batch = yield* write(batch, [], one)
        batch = yield* write(batch, rows, of)
      }),
    )
    const { refusedRows } = yield* Effect.onError(writing, (cause) =>
      batch?.status === "writing" && (input.idempotencyKey === undefined || isOfList(cause))
        ? Effect.ignore(change(own, "cancel"))
        : Effect.void,
    )
    // An earlier call has had more recipients.
    if (batch === undefined || block < batch.blocks) return yield* new Errors.IdempotencyMismatch()
    const { duplicates, recipients, refused } = yield* change(own, "start")
    return {
      batchId: id,
      recipients,
      duplicates,
      refused,
      refusedRows,
      estimate: yield* estimateOf(organization.id, batch),
    }
  })

  const estimate = Effect.fn("Batches.estimate")(function* (input: SendManyInput) {
    const { organization } = yield* start(input)
    const known = new Set<number>()
    const sums = { recipients: 0, duplicates: 0, segments: 0, estimate: 0 }
    const { refused, refusedRows } = yield* eachBlock(input, organization, (rows) =>
      Effect.sync(() => {
        for (const { phoneNumber, price, segments } of rows) {
          const digits = Number(phoneNumber)
          if (known.has(digits)) {
            sums.duplicates += 1
            continue
          }
          known.add(digits)
          sums.recipients += 1
          sums.segments += segments
          sums.estimate += price
        }
      }),
    )
    const { duplicates, estimate: price, recipients, segments } = sums
    return {
      recipients,
      duplicates,
      refused,
      refusedRows,
      estimate: yield* estimateOf(organization.id, { segments, estimate: Money.fromUnits(price) }),
    }
  })

  const change = Effect.fnUntraced(function* (
    { id: batchId, organization }: Api.BatchRef,
    what: Domain.Change,
  ) {
    return yield* batchIn(
      yield* run<"ChangeBatch">({ _tag: "ChangeBatch", organization, batchId, change: what }),
    )
  })

  const show = Effect.fnUntraced(function* (
    organization: OrganizationId,
    found: ReadonlyArray<Domain.Batch>,
  ) {
    const ids = found.map(({ id }) => id)
    const totals = found.length === 0 ? [] : yield* store.batchTotals(organization, ids)
    const now = yield* Clock.currentTimeMillis
    return found.map((one) => shown(one, totals, now))
  })

  const get = Effect.fnUntraced(function* ({ id, organization }: Api.BatchRef) {
    yield* access.load(organization)
    const found = yield* store.batch(organization, idOf(id))
    if (found === undefined) return yield* new Errors.BatchNotFound()
    const [batch] = yield* show(organization, [found])
    return batch ?? (yield* new Errors.BatchNotFound())
  })

  const changing =
    (what: "pause" | "resume" | "cancel") =>
    (ref: Api.BatchRef): HostEffect<Api.Batch, Errors.BatchNotFound | Errors.BatchUnchangeable> =>
      Effect.andThen(
        Effect.catchTag(
          change({ ...ref, id: idOf(ref.id) }, what),
          "IdempotencyMismatch",
          Effect.die,
        ),
        get(ref),
      )

  return Batches.of({
    sendMany: (input) => Effect.catchTag(sendMany(input), "BatchNotFound", Effect.die),
    estimate,
    get,
    list: Effect.fnUntraced(function* ({ cursor, limit, organization }) {
      const problems = new FieldProblems()
      const before: BatchPlace | undefined =
        cursor === undefined ? undefined : problems.parse("cursor", cursor, readPlace)
      if (problems.error !== undefined) return yield* problems.error
      yield* access.load(organization)
      const size = pageLimit(limit)
      const found = yield* store.batches(organization, before, size + 1)
      const page = found.slice(0, size)
      const last = found.length > size ? page.at(-1) : undefined
      return { batches: yield* show(organization, page), next: last && writePlace(last) }
    }),
    pause: changing("pause"),
    resume: changing("resume"),
    cancel: changing("cancel"),
  })
})

export const layer = Layer.effect(Batches, make)

const problemOf = (
  ...[code, params]:
    | ["empty" | "no_valid_recipient", Record<string, never>]
    | ["too_many", { readonly max: number }]
): Effect.Effect<never, Errors.InvalidRequest> => {
  const problems = new FieldProblems()
  if (code === "too_many") problems.fail("recipients", code, params)
  else problems.fail("recipients", code, params)
  return Effect.fail(problems.error ?? new Errors.InvalidRequest({ details: {} }))
}

/** Whether a repeat with the same recipients would also fail. */
const isOfList = (cause: Cause.Cause<{ readonly _tag: string }>): boolean =>
  cause.reasons.some(
    (reason) =>
      Cause.isFailReason(reason) &&
      (reason.error._tag === "InvalidRequest" || reason.error._tag === "SenderUnusable"),
  )

/** The batch after a command. */
const batchIn = (
  result: OwnResult<"OpenBatch" | "AddToBatch" | "ChangeBatch">,
): Effect.Effect<
  Domain.Batch,
  Errors.BatchNotFound | Errors.BatchUnchangeable | Errors.IdempotencyMismatch
> => {
  switch (result._tag) {
    case "BatchChanged":
      return Effect.succeed(result.batch)
    case "BatchUnchangeable":
      return Effect.fail(new Errors.BatchUnchangeable({ state: result.batch.status }))
    case "BatchMismatch":
      return Effect.fail(new Errors.IdempotencyMismatch())
    case "NotFound":
      return Effect.fail(new Errors.BatchNotFound())
  }
}
