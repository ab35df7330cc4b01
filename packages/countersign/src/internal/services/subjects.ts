/** The services whose methods do more than their operations tell. */
import { showing, type Inputs, operation, type Operation } from "@countersign/core/api/Operation"
import { verifications } from "@countersign/core/api/verifications"
import * as Fields from "@countersign/core/api/Fields"
import type * as Types from "@countersign/core/api/types/verifications"
import { History } from "@countersign/core/services/History"
import * as Verifications from "@countersign/core/services/verifications/Verifications"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Redacted from "effect/Redacted"
import type * as Services from "../types/services.ts"
import { served, type Methods, method, promisesOf, type Unbound } from "./promises.ts"
import * as Readers from "@countersign/core/api/Readers"
import * as Input from "@countersign/core/api/Input"
import { estimated, sendMany, sentMany } from "@countersign/core/api/batches"
import { messages } from "@countersign/core/api/messages"
import { Batches, isRecipients, type SendManyInput } from "@countersign/core/services/Batches"
import * as FieldProblem from "@countersign/core/domain/values/FieldProblem"
import { Messages } from "@countersign/core/services/Messages"
import { reports } from "@countersign/core/api/reports"
import {
  prepareMessage,
  prepareVerification,
  queuedMessages,
  queuedVerifications,
} from "@countersign/core/api/outbox"
import type { Prepared } from "@countersign/core/api/PlainTypes"
import type { EngineError } from "@countersign/core/domain/errors/EngineError"
import type { NewQueuedSend } from "@countersign/core/domain/outbox/QueuedSend"
import { Outbox } from "@countersign/core/services/Outbox"
import { ConfigurationError } from "../errors/errors.ts"
import { translate } from "../errors/translation.ts"
import { text } from "@countersign/core/domain/values/FieldReaders"
import { Reports } from "@countersign/core/services/Reports"
import { GatewayRegistry } from "../gateways/gatewayRegistry.ts"
import { eventLog } from "@countersign/core/api/events"
import { personalRecord, privacy } from "@countersign/core/api/privacy"
import type { ExportPlace, Privacy } from "@countersign/core/services/Privacy"
import type { EventLog } from "@countersign/core/services/EventLog"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"

const { send: sendRow, ...others } = messages

const sentMessage = showing(sendRow)

export const makeMessages = (
  context: Context.Context<Messages | History | Outbox | Batches>,
): Methods<Services.OrganizationServices["messages"]> => {
  const batches = Context.get(context, Batches)
  const service = Context.get(context, Messages)
  const history = Context.get(context, History)
  const outbox = Context.get(context, Outbox)

  const get = Effect.fnUntraced(function* (input: Inputs<typeof messages>["get"]) {
    const { id, sequence } = input
    if (id !== undefined && sequence !== undefined) {
      return yield* Input.invalid("sequence", FieldProblem.make("repeated", {}))
    }
    if (id === undefined && sequence === undefined) {
      return yield* Input.invalid("id", FieldProblem.make("required", {}))
    }
    return yield* service.get(input)
  })

  return {
    ...promisesOf(others, {
      preview: service.preview,
      list: service.search,
      count: ({ from, organization, to }) => {
        // The service takes both bounds or none.
        const isBounded = from !== undefined || to !== undefined
        const period = isBounded ? { from: from ?? 0, to: to ?? maxTime } : {}
        const page = service.list({ organization, ...period, limit: 1 })
        return Effect.map(page, ({ total }) => total)
      },
      get,
      history: (input) => Effect.flatMap(get(input), history.message),
    }),
    ...promisesOf(queuedMessages, {
      dispatch: (input) =>
        Effect.map(outbox.dispatchMessage(input), ({ logStatus: status, ...message }) => ({
          ...message,
          status,
        })),
      getQueued: outbox.get,
      listQueued: outbox.list,
      cancel: outbox.cancel,
      reschedule: outbox.reschedule,
    }),
    prepare: prepared(context, { input: prepareMessage }, outbox.prepareMessage, ({ id }) => ({
      id,
    })),
    sendMany: method(readMany, (input) => Effect.map(batches.sendMany(input), shownMany)),
    estimate: method(readMany, (input) => Effect.map(batches.estimate(input), shownEstimate)),
    send: served(sendRow, Readers.sendMessage, service.send, ({ logStatus: status, ...message }) =>
      sentMessage({ ...message, status }),
    ),
  }
}

const readFields = Input.reading({ input: sendMany })

/** Reads the fields. The recipients are read later, block by block. */
const readMany: Input.Reading<SendManyInput> = (given, organization) => {
  const recipients = Predicate.hasProperty(given, "recipients") ? given.recipients : undefined
  const fields = Predicate.isObject(given) ? { ...given, recipients: undefined } : given
  return Result.flatMap(readFields(fields, organization), (input) =>
    isRecipients(recipients)
      ? Result.succeed({ ...input, recipients })
      : Result.fail(Input.invalid("recipients", FieldProblem.make("not_recipients", {}))),
  )
}

const shownMany = showing({ output: sentMany })
const shownEstimate = showing({ output: estimated })

/** Makes the method that returns a send for a transaction of the host. It reads and writes nothing. */
const prepared =
  <O extends Pick<Operation, "input">, Own extends object>(
    context: Context.Context<Outbox>,
    row: O,
    prepare: (input: O["input"]["Type"]) => Effect.Effect<NewQueuedSend, EngineError>,
    own: (send: NewQueuedSend) => Own,
  ): Unbound<(input: unknown) => Prepared & Own> =>
  ({ organization, run }) => {
    const outbox = Context.get(context, Outbox)
    const read = Input.reading(row)
    return (input) => {
      const made = Result.flatMap(read(input, organization), (fields) =>
        Effect.runSyncWith(context)(Effect.result(prepare(fields))),
      )
      if (Result.isFailure(made)) throw translate(made.failure)
      const send = made.success
      return {
        ...own(send),
        get statement() {
          const statement = outbox.statementOf(send)
          if (statement !== undefined) return statement
          throw new ConfigurationError(
            "The database memory has no transactions: call enqueue() instead of using statement",
          )
        },
        enqueue: () => run(outbox.enqueue([send])),
      }
    }
  }

/** The last time of a `Date`. */
const maxTime = 8_640_000_000_000_000

const { cancel, check, consume, get, history, list, resend, resetGuesses, send, verify } =
  verifications

export const makeVerifications = (
  context: Context.Context<Verifications.Verifications | History | Outbox>,
): Methods<Services.OrganizationServices["verifications"]> => {
  const service = Context.get(context, Verifications.Verifications)
  const outbox = Context.get(context, Outbox)
  return {
    ...promisesOf(
      { cancel, get, history, list, resetGuesses },
      {
        ...service,
        cancel: (input) =>
          Effect.andThen(
            service.cancel(input),
            Effect.map(service.status(input), (found) => ({
              ...found,
              status: "failed" as const,
              reason: found.failure ?? "cancelled",
            })),
          ),
        get: service.status,
        history: Context.get(context, History).verification,
        list: service.search,
      },
    ),
    ...promisesOf(queuedVerifications, { dispatch: outbox.dispatchCode }),
    prepare: prepared(context, { input: prepareVerification }, outbox.prepareCode, ({ id }) => ({
      requestId: id,
    })),
    newRequestId: () => () => Effect.runSyncWith(context)(service.newRequestId),
    send: served(send, Readers.send, service.send, sent),
    resend: served(resend, Readers.resend, service.resend, sent),
    verify: served(verify, Readers.verify, service.verify, shown),
    consume: served(consume, Readers.consume, (input) => service.consume(ofPurpose(input)), shown),
    check: served(check, Readers.check, (input) => service.check(ofPurpose(input)), checked),
  }
}

/** Without a purpose, only requests without one are found. */
const ofPurpose = <A extends { readonly purpose?: unknown }>(input: A) => ({
  ...input,
  purpose: input.purpose ?? null,
})

const metadataOf = showing({ output: Fields.metadata })

// By hand: a schema takes 1 to 12 µs.

const sent = (found: Verifications.SentVerification): Types.SentVerification => ({
  requestId: found.requestId,
  phoneNumber: found.phoneNumber,
  channel: found.channel,
  expiresAt: new Date(found.expiresAt),
  resendAt: found.resendAt === null ? null : new Date(found.resendAt),
  resendsRemaining: found.resendsRemaining,
})

const checked = (found: Verifications.CheckedVerification): Types.CheckedVerification => ({
  requestId: found.requestId,
  phoneNumber: found.phoneNumber,
  verifiedAt: new Date(found.verifiedAt),
  isFirst: found.isFirst,
})

const shown = (found: Verifications.ConsumedVerification): Types.VerifiedNumber => ({
  requestId: found.requestId,
  phoneNumber: found.phoneNumber,
  purpose: found.purpose,
  metadata: found.metadata === null ? null : metadataOf(found.metadata),
  verifiedAt: new Date(found.verifiedAt),
  consumedAt: new Date(found.consumedAt),
  proof: found.proof === undefined ? null : Redacted.value(found.proof),
})

export const makeReports = (
  context: Context.Context<Reports | GatewayRegistry>,
): Methods<Services.Services["reports"]> => {
  const service = Context.get(context, Reports)
  const { nameOf } = Context.get(context, GatewayRegistry)
  return promisesOf(reports, {
    receive: Effect.fnUntraced(function* ({ detail = null, gateway, ...report }) {
      const { evidence, gatewayId, messageSequence, reason, status, token, unreachable } = report
      const gatewayOf = () =>
        Input.field("gateway", nameOf(gateway) ?? FieldProblem.make("unknown_gateway", {}))
      const organization = yield* Input.organizationOf(report)
      const received = yield* service.receive({
        of:
          messageSequence === undefined
            ? {
                _tag: "GatewayId",
                gateway: yield* gatewayOf(),
                gatewayId: yield* Input.field("gatewayId", text(gatewayId)),
              }
            : { _tag: "Message", organization, sequence: messageSequence, token },
        status,
        reason,
        gateway: gateway === undefined ? undefined : yield* gatewayOf(),
        detail,
        evidence,
        unreachable,
      })
      return received === "unreadable"
        ? yield* Input.invalid("report", FieldProblem.make("unreadable", {}))
        : received
    }),
    unmatched: service.unmatched,
  })
}

const { list: read } = eventLog

const listEvents = operation({
  ...read,
  output: Schema.Struct({ ...read.output.fields, next: Fields.orNull(Schema.Int) }),
  listing: { items: "events", from: "after", isStored: true, by: "sequence" },
})

const readPlace = Input.reading({ input: read.input.mapFields(Struct.omit(["limit"])) })

const shownEvents = showing({ output: read.output.fields.events })

export const makeEvents = (service: EventLog["Service"]): Methods<Services.Events> => {
  const nextOf = method(readPlace, service.next)
  return {
    ...promisesOf(
      { list: listEvents },
      {
        list: (input) =>
          Effect.map(service.list(input), (page) => {
            const end = page.events.at(-1)?.sequence ?? page.last
            return { ...page, next: end < page.last ? end : undefined }
          }),
      },
    ),
    follow: (scope) => {
      const next = nextOf(scope)
      return async function* (input = {}) {
        let { after } = input
        for (;;) {
          const found = await next({ ...input, after })
          yield* shownEvents(found.events)
          after = found.after
        }
      }
    },
  }
}

const shownRecord = showing({ output: personalRecord })

export const makePrivacy = (service: Privacy["Service"]): Methods<Services.Privacy> => {
  const pageOf = method(Input.reading(privacy.erase), service.exportPage)
  return {
    ...promisesOf(privacy, { erase: (input) => service.erase(input) }),
    export: (scope) => {
      const page = pageOf(scope)
      return async function* (input) {
        let place: ExportPlace | undefined
        do {
          const { next, records } = await page(input, place)
          for (const record of records) yield shownRecord(record)
          place = next
        } while (place !== undefined)
      }
    },
  }
}
