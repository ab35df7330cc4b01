/**
 * The engine's services with promises and plain values.
 */
import type { DeliveryReport as CoreReport } from "@countersign/core/domain/DeliveryReport"
import { Accounts } from "@countersign/core/services/Accounts"
import { ApiKeys } from "@countersign/core/services/ApiKeys"
import { Brands } from "@countersign/core/services/Brands"
import type * as Engine from "@countersign/core/services/Engine"
import { Fraud } from "@countersign/core/services/Fraud"
import type { InvalidRequest, OrganizationNotFound } from "@countersign/core/domain/Errors"
import * as FieldProblem from "@countersign/core/domain/FieldProblem"
import { reportStatuses } from "@countersign/core/domain/GatewayOutcome"
import { ApiKeyId } from "@countersign/core/domain/Ids"
import { Messages } from "@countersign/core/services/Messages"
import * as Money from "@countersign/core/domain/Money"
import { Organizations } from "@countersign/core/services/Organizations"
import { Reports } from "@countersign/core/services/Reports"
import { Verifications } from "@countersign/core/services/Verifications"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { GatewayRegistry } from "./gatewayRegistry.ts"
import {
  brandKinds,
  brandStatuses,
  environments,
  invalid,
  millis,
  money,
  oneOf,
  optionalBoolean,
  optionalInteger,
  optionalText,
  organizationOf,
  settingsOf,
  text,
} from "./inputs.ts"
import {
  apiKey,
  date,
  dateOrNull,
  finding,
  ledgerEntry,
  logEntry,
  messageReport,
  organization,
  organizationSummary,
  preview,
} from "./codec.ts"
import type * as Services from "./services.ts"
import type { Run } from "./translate.ts"
import type * as Types from "./types.ts"

const verifications = (run: Run, service: Verifications["Service"]): Services.Verifications => ({
  send: (input: Types.SendVerification): Promise<Types.SentVerification> =>
    run(
      Effect.gen(function* () {
        const sent = yield* service.send({
          phoneNumber: yield* text("phoneNumber", input.phoneNumber),
          channel: input.channel,
          codeLength: input.codeLength,
          expirySeconds: input.expirySeconds,
          locale: input.locale,
          brand: yield* optionalText("brand", input.brand),
          organization: yield* organizationOf(input),
        })
        return {
          requestId: sent.requestId,
          phoneNumber: sent.to,
          channel: sent.channel,
          expiresInSeconds: sent.expiresInSeconds,
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
          to: yield* text("to", input.to),
          text: yield* text("text", input.text),
          channel: input.channel,
          brand: yield* optionalText("brand", input.brand),
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
  get: (input: Types.GetMessage): Promise<Types.LogEntry> =>
    run(
      Effect.gen(function* () {
        const found = yield* service.get({
          id: yield* text("id", input.id),
          organization: yield* organizationOf(input),
        })
        return logEntry(found)
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
        const amount = yield* money(input.amount)
        const organization = yield* organizationOf(input)
        const note = yield* optionalText("note", input.note)
        const paymentId = yield* optionalText("paymentId", input.paymentId)
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
          const entries = yield* service.entries({
            organization: yield* organizationOf(input),
            after: yield* optionalInteger("after", input.after),
            limit: yield* optionalInteger("limit", input.limit),
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
          environment: yield* oneOf("environment", environments, input.environment ?? "live"),
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
          id: yield* optionalText("id", input.id),
          kind: yield* oneOf("kind", brandKinds, input.kind),
          sender: yield* text("sender", input.sender),
          status: yield* oneOf("status", brandStatuses, input.status ?? "approved"),
          isDefault: yield* optionalBoolean("isDefault", input.isDefault),
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
        const name = yield* optionalText("name", input.name)
        return organization(yield* service.create({ id, name, settings }))
      }),
    ),
  get: (id: string): Promise<Types.Organization> =>
    run(
      Effect.map(Effect.flatMap(organizationOf({ organization: id }), service.get), organization),
    ),
  list: (input: Types.ListOrganizations = {}): Promise<ReadonlyArray<Types.OrganizationSummary>> =>
    run(
      Effect.gen(function* () {
        const after = yield* optionalText("after", input.after)
        const from =
          after === undefined ? undefined : yield* organizationOf({ organization: after })
        const limit = yield* optionalInteger("limit", input.limit)
        return (yield* service.list({ after: from, limit })).map(organizationSummary)
      }),
    ),
  configure: (id: string, settings: Types.OrganizationSettings): Promise<Types.Organization> =>
    run(
      Effect.gen(function* () {
        const own = yield* organizationOf({ organization: id })
        return organization(yield* service.configure(own, yield* settingsOf(settings)))
      }),
    ),
  rename: (id: string, name: string): Promise<Types.Organization> =>
    run(
      Effect.gen(function* () {
        const own = yield* organizationOf({ organization: id })
        return organization(yield* service.rename(own, yield* text("name", name)))
      }),
    ),
  suspend: (id: string): Promise<Types.Organization> =>
    run(
      Effect.map(
        Effect.flatMap(organizationOf({ organization: id }), service.suspend),
        organization,
      ),
    ),
  resume: (id: string): Promise<Types.Organization> =>
    run(
      Effect.map(
        Effect.flatMap(organizationOf({ organization: id }), service.resume),
        organization,
      ),
    ),
  repairTime: (id: string): Promise<{ readonly messages: number }> =>
    run(Effect.flatMap(organizationOf({ organization: id }), service.repairTime)),
})

/** Finds the message that a report is about. */
const reported = Effect.fnUntraced(function* (
  report: Types.ReportedMessage,
  nameOf: GatewayRegistry["Service"]["nameOf"],
): Effect.fn.Return<CoreReport["of"], InvalidRequest | OrganizationNotFound> {
  if ("messageSequence" in report) {
    const { messageSequence } = report
    if (!Number.isSafeInteger(messageSequence) || messageSequence < 1) {
      return yield* invalid("messageSequence", FieldProblem.make("not_positive_integer", {}))
    }
    return {
      _tag: "Message",
      organization: yield* organizationOf(report),
      sequence: messageSequence,
    }
  }
  const gateway = nameOf(report.gateway)
  if (gateway === undefined) {
    return yield* invalid("gateway", FieldProblem.make("unknown_gateway", {}))
  }
  const gatewayId = yield* text("gatewayId", report.gatewayId)
  if (gatewayId === "") return yield* invalid("gatewayId", FieldProblem.make("empty", {}))
  return { _tag: "GatewayId", gateway, gatewayId }
})

const reports = (
  run: Run,
  service: Reports["Service"],
  { nameOf }: GatewayRegistry["Service"],
): Services.Reports => ({
  receive: (report: Types.DeliveryReport): Promise<"applied" | "kept" | "unknown message"> =>
    run(
      Effect.gen(function* () {
        const { evidence } = report
        if (evidence !== undefined && (typeof evidence !== "object" || evidence === null)) {
          return yield* invalid("evidence", FieldProblem.make("not_object", {}))
        }
        const received = yield* service.receive({
          of: yield* reported(report, nameOf),
          status: yield* oneOf("status", reportStatuses, report.status),
          detail: (yield* optionalText("detail", report.detail ?? undefined)) ?? null,
          evidence,
          unreachable: yield* optionalBoolean("unreachable", report.unreachable),
        })
        return received === "unreadable"
          ? yield* invalid("report", FieldProblem.make("unreadable", {}))
          : received
      }),
    ),
  forMessage: (message: Types.OfMessage): Promise<ReadonlyArray<Types.MessageReport>> =>
    run(
      Effect.gen(function* () {
        const { sequence } = message
        if (!Number.isSafeInteger(sequence)) {
          return yield* invalid("sequence", FieldProblem.make("not_integer", {}))
        }
        const found = yield* service.forMessage({
          organization: yield* organizationOf(message),
          sequence,
        })
        return found.map(messageReport)
      }),
    ),
})

const fraud = (run: Run, service: Fraud["Service"]): Services.Fraud => ({
  findings: (input: Types.ListFindings = {}): Promise<ReadonlyArray<Types.FraudFinding>> =>
    run(
      Effect.gen(function* () {
        const limit = yield* optionalInteger("limit", input.limit)
        const found = yield* service.findings(yield* organizationOf(input), { limit })
        return found.map(finding)
      }),
    ),
})

/** Creates all services over the engine in the context. */
export const make = (
  run: Run,
  context: Context.Context<Engine.Engine | GatewayRegistry>,
): Services.Services => ({
  verifications: verifications(run, Context.get(context, Verifications)),
  messages: messages(run, Context.get(context, Messages)),
  account: account(run, Context.get(context, Accounts)),
  apiKeys: apiKeys(run, Context.get(context, ApiKeys)),
  brands: brands(run, Context.get(context, Brands)),
  organizations: organizations(run, Context.get(context, Organizations)),
  reports: reports(run, Context.get(context, Reports), Context.get(context, GatewayRegistry)),
  fraud: fraud(run, Context.get(context, Fraud)),
})
