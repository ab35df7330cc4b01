/**
 * The engine's services with promises and plain values.
 */
import { Accounts } from "@countersign/core/Accounts"
import { ApiKeys } from "@countersign/core/ApiKeys"
import { Brands } from "@countersign/core/Brands"
import type * as Engine from "@countersign/core/Engine"
import { Fraud } from "@countersign/core/Fraud"
import { InvalidRequest, OrganizationNotFound } from "@countersign/core/Errors"
import type { DeliveryReport as CoreReport } from "@countersign/core/Gateway"
import { ApiKeyId, OrganizationId } from "@countersign/core/Ids"
import { Messages } from "@countersign/core/Messages"
import * as Money from "@countersign/core/Money"
import type { Settings } from "@countersign/core/Organization"
import { Organizations } from "@countersign/core/Organizations"
import { Reports } from "@countersign/core/Reports"
import { Verifications } from "@countersign/core/Verifications"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { Hub } from "./hub.ts"
import { overridesOf } from "./limits.ts"
import {
  apiKey,
  date,
  dateOrNull,
  finding,
  ledgerEntry,
  logEntry,
  messageReport,
  organization,
  preview,
} from "./plain.ts"
import type * as Services from "./services.ts"
import type { Run } from "./translate.ts"
import type * as Types from "./types.ts"

/** The organization of hosts that have one. */
export const defaultOrganization = "default"

const organizationOf = ({
  organization = defaultOrganization,
}: Types.OfOrganization): Effect.Effect<OrganizationId, OrganizationNotFound> =>
  // One that cannot be the name of any is the name of none.
  Effect.try({ try: () => OrganizationId(organization), catch: () => new OrganizationNotFound() })

const invalid = (field: string, reason: string) =>
  new InvalidRequest({ details: { [field]: [reason] } })

/** What callers in JavaScript may hand over, whatever the types say. */
const text = (field: string, value: unknown): Effect.Effect<string, InvalidRequest> =>
  typeof value === "string" ? Effect.succeed(value) : Effect.fail(invalid(field, "must be a text"))

const millis = (
  field: string,
  value: Date | undefined,
): Effect.Effect<number | undefined, InvalidRequest> => {
  if (value === undefined) return Effect.succeed(undefined)
  return value instanceof Date && Number.isFinite(value.getTime())
    ? Effect.succeed(value.getTime())
    : Effect.fail(invalid(field, "must be a valid Date"))
}

const money = (amount: unknown): Effect.Effect<Money.Money, InvalidRequest> =>
  Effect.flatMap(text("amount", amount), (decimal) =>
    Result.match(Money.fromDecimal(decimal), {
      onFailure: (reason) => Effect.fail(invalid("amount", reason)),
      onSuccess: (value) => Effect.succeed(value),
    }),
  )

const settingsOf = ({
  allowList,
  limits,
}: Types.OrganizationSettings): Effect.Effect<Partial<Settings>, InvalidRequest> => {
  const named = allowList === undefined ? {} : { allowList }
  if (limits === undefined) return Effect.succeed(named)
  return Result.match(overridesOf(limits), {
    onFailure: (reason) => Effect.fail(invalid("limits", reason)),
    onSuccess: (overrides) => Effect.succeed({ ...named, limits: overrides }),
  })
}

const verifications = (run: Run, service: Verifications["Service"]): Services.Verifications => ({
  send: (input: Types.SendVerification): Promise<Types.SentVerification> =>
    run(
      Effect.gen(function* () {
        const sent = yield* service.send({
          ...input,
          phoneNumber: yield* text("phoneNumber", input.phoneNumber),
          organization: yield* organizationOf(input),
        })
        return {
          requestId: sent.requestId,
          phoneNumber: sent.to,
          channel: sent.channel,
          expiresInSeconds: sent.expiresIn,
        }
      }),
    ),
  check: (input: Types.CheckVerification): Promise<Types.CheckedVerification> =>
    run(
      Effect.gen(function* () {
        const checked = yield* service.check({
          requestId: yield* text("requestId", input.requestId),
          code: Redacted.make(yield* text("code", input.code), { label: "code" }),
          organization: yield* organizationOf(input),
        })
        return {
          requestId: checked.requestId,
          phoneNumber: checked.to,
          verifiedAt: date(checked.verifiedAt),
          isFirst: checked.isFirst,
        }
      }),
    ),
  status: (
    input: Types.OfOrganization & { readonly requestId: string },
  ): Promise<Types.VerificationStatus> =>
    run(
      Effect.gen(function* () {
        const { createdAt, expiresAt, to, verifiedAt, ...status } = yield* service.status({
          requestId: yield* text("requestId", input.requestId),
          organization: yield* organizationOf(input),
        })
        return {
          ...status,
          phoneNumber: to,
          createdAt: date(createdAt),
          expiresAt: date(expiresAt),
          verifiedAt: dateOrNull(verifiedAt),
        }
      }),
    ),
})

const messages = (run: Run, service: Messages["Service"]): Services.Messages => ({
  send: (input: Types.SendMessage): Promise<Types.SentMessage> =>
    run(
      Effect.gen(function* () {
        const sent = yield* service.send({
          ...input,
          to: yield* text("to", input.to),
          text: yield* text("text", input.text),
          organization: yield* organizationOf(input),
        })
        return {
          gatewayId: sent.gatewayId,
          to: sent.to,
          channel: sent.channel,
          balance: Money.format(sent.balance),
        }
      }),
    ),
  preview: (input: Types.PreviewMessage): Promise<Types.MessagePreview> =>
    run(
      Effect.gen(function* () {
        const previewed = yield* service.preview({
          text: yield* text("text", input.text),
          channel: input.channel,
          organization: yield* organizationOf(input),
        })
        return preview(previewed)
      }),
    ),
  list: (input: Types.ListMessages = {}): Promise<Types.MessagePage> =>
    run(
      Effect.gen(function* () {
        const page = yield* service.list({
          limit: input.limit,
          page: input.page,
          from: yield* millis("from", input.from),
          to: yield* millis("to", input.to),
          organization: yield* organizationOf(input),
        })
        return { ...page, messages: page.messages.map(logEntry) }
      }),
    ),
})

const account = (run: Run, service: Accounts["Service"]): Services.Account => {
  const book = (
    post: (typeof service)["adjust"] | (typeof service)["topUp"],
    input: Types.Booking,
  ): Promise<string> =>
    run(
      Effect.gen(function* () {
        const { note } = input
        const amount = yield* money(input.amount)
        const organization = yield* organizationOf(input)
        const paymentId =
          input.paymentId === undefined ? undefined : yield* text("paymentId", input.paymentId)
        return Money.format(yield* post({ organization, amount, note, paymentId }))
      }),
    )
  return {
    balance: (input: Types.OfOrganization = {}): Promise<Types.Balance> =>
      run(
        Effect.gen(function* () {
          const { balance, currency, held } = yield* service.balance({
            organization: yield* organizationOf(input),
          })
          return { balance: Money.format(balance), held: Money.format(held), currency }
        }),
      ),
    topUp: (input: Types.Booking): Promise<string> => book(service.topUp, input),
    adjust: (input: Types.Booking): Promise<string> => book(service.adjust, input),
    entries: (input: Types.ListEntries = {}): Promise<ReadonlyArray<Types.LedgerEntry>> =>
      run(
        Effect.gen(function* () {
          const { after, limit } = input
          const entries = yield* service.entries({
            organization: yield* organizationOf(input),
            after,
            limit,
          })
          return entries.map(ledgerEntry)
        }),
      ),
  }
}

const apiKeys = (run: Run, service: ApiKeys["Service"]): Services.ApiKeys => ({
  create: (input: Types.CreateApiKey): Promise<Types.CreatedApiKey> =>
    run(
      Effect.gen(function* () {
        const created = yield* service.create({
          name: yield* text("name", input.name),
          environment: input.environment,
          organization: yield* organizationOf(input),
        })
        return { ...apiKey(created), key: Redacted.value(created.key) }
      }),
    ),
  list: (input: Types.OfOrganization = {}): Promise<ReadonlyArray<Types.ApiKey>> =>
    run(
      Effect.gen(function* () {
        return (yield* service.list(yield* organizationOf(input))).map(apiKey)
      }),
    ),
  revoke: (input: Types.OfOrganization & { readonly id: string }): Promise<void> =>
    run(
      Effect.gen(function* () {
        const id = ApiKeyId(yield* text("id", input.id))
        yield* service.revoke(yield* organizationOf(input), id)
      }),
    ),
})

const brands = (run: Run, service: Brands["Service"]): Services.Brands => ({
  save: (input: Types.SaveBrand): Promise<Types.Brand> =>
    run(
      Effect.gen(function* () {
        return yield* service.save({
          ...input,
          status: input.status ?? "approved",
          sender: yield* text("sender", input.sender),
          organization: yield* organizationOf(input),
        })
      }),
    ),
  list: (input: Types.OfOrganization = {}): Promise<ReadonlyArray<Types.Brand>> =>
    run(Effect.flatMap(organizationOf(input), service.list)),
})

const organizations = (run: Run, service: Organizations["Service"]): Services.Organizations => ({
  create: (input: Types.CreateOrganization): Promise<Types.Organization> =>
    run(
      Effect.gen(function* () {
        const id = yield* text("id", input.id)
        const settings = yield* settingsOf(input)
        return organization(yield* service.create({ id, name: input.name, settings }))
      }),
    ),
  get: (id: string): Promise<Types.Organization> =>
    run(
      Effect.map(Effect.flatMap(organizationOf({ organization: id }), service.get), organization),
    ),
  list: (input: Types.ListOrganizations = {}): Promise<ReadonlyArray<string>> =>
    run(
      Effect.gen(function* () {
        const { after, limit } = input
        const from =
          after === undefined ? undefined : yield* organizationOf({ organization: after })
        return yield* service.list({ after: from, limit })
      }),
    ),
  configure: (id: string, settings: Types.OrganizationSettings): Promise<Types.Organization> =>
    run(
      Effect.gen(function* () {
        const own = yield* organizationOf({ organization: id })
        return organization(yield* service.configure(own, yield* settingsOf(settings)))
      }),
    ),
})

/** What a report is about. */
const reported = Effect.fnUntraced(function* (
  report: Types.ReportedMessage,
  nameOf: Hub["Service"]["nameOf"],
): Effect.fn.Return<CoreReport["of"], InvalidRequest | OrganizationNotFound> {
  if ("message" in report) {
    const { message } = report
    if (!Number.isSafeInteger(message) || message < 1) {
      return yield* invalid("message", "must be a whole number from 1 on")
    }
    return { _tag: "Message", organization: yield* organizationOf(report), number: message }
  }
  const gateway = nameOf(report.gateway)
  if (gateway === undefined) return yield* invalid("gateway", "must be the name of a gateway")
  return { _tag: "GatewayId", gateway, gatewayId: yield* text("gatewayId", report.gatewayId) }
})

/** Whatever else comes from JavaScript would be a row that nobody can read. */
const reportStatuses: ReadonlyArray<string> = [
  "accepted",
  "delivered",
  "undelivered",
  "failed",
  "rejected",
]

const reports = (
  run: Run,
  service: Reports["Service"],
  { nameOf }: Hub["Service"],
): Services.Reports => ({
  receive: (report: Types.DeliveryReport): Promise<"applied" | "kept" | "unknown message"> =>
    run(
      Effect.gen(function* () {
        if (!reportStatuses.includes(report.status)) {
          return yield* invalid("status", `must be one of ${reportStatuses.join(", ")}`)
        }
        return yield* service.receive({
          of: yield* reported(report, nameOf),
          status: report.status,
          detail: report.detail ?? null,
          ...(report.raw === undefined
            ? undefined
            : { raw: Redacted.make(yield* text("raw", report.raw)) }),
          unreachable: report.unreachable,
        })
      }),
    ),
  on: (message: Types.OfMessage): Promise<ReadonlyArray<Types.MessageReport>> =>
    run(
      Effect.gen(function* () {
        const { number } = message
        if (!Number.isSafeInteger(number)) return yield* invalid("number", "must be an integer")
        const found = yield* service.on({ organization: yield* organizationOf(message), number })
        return found.map(messageReport)
      }),
    ),
})

const fraud = (run: Run, service: Fraud["Service"]): Services.Fraud => ({
  findings: (input: Types.ListFindings = {}): Promise<ReadonlyArray<Types.FraudFinding>> =>
    run(
      Effect.gen(function* () {
        const { limit } = input
        const found = yield* service.findings(yield* organizationOf(input), { limit })
        return found.map(finding)
      }),
    ),
})

/** All services over the engine of the context. */
export const make = (
  run: Run,
  context: Context.Context<Engine.Engine | Hub>,
): Services.Services => ({
  verifications: verifications(run, Context.get(context, Verifications)),
  messages: messages(run, Context.get(context, Messages)),
  account: account(run, Context.get(context, Accounts)),
  apiKeys: apiKeys(run, Context.get(context, ApiKeys)),
  brands: brands(run, Context.get(context, Brands)),
  organizations: organizations(run, Context.get(context, Organizations)),
  reports: reports(run, Context.get(context, Reports), Context.get(context, Hub)),
  fraud: fraud(run, Context.get(context, Fraud)),
})
