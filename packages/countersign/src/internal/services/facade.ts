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
import * as Fields from "@countersign/core/domain/Fields"
import { ApiKeyId } from "@countersign/core/domain/Ids"
import { Messages } from "@countersign/core/services/Messages"
import * as Money from "@countersign/core/domain/Money"
import { Organizations } from "@countersign/core/services/Organizations"
import { Reports } from "@countersign/core/services/Reports"
import { Verifications } from "@countersign/core/services/Verifications"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { GatewayRegistry } from "../gateways/gatewayRegistry.ts"
import {
  brandKind,
  brandStatus,
  environment,
  evidence,
  field,
  id,
  invalid,
  millis,
  money,
  optionalBoolean,
  optionalInteger,
  optionalText,
  organizationId,
  organizationOf,
  positiveInteger,
  rejectionReason,
  reportStatus,
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
} from "./codec.ts"
import type * as Services from "../types/services.ts"
import { type Method, methodOf, type Run } from "../errors/translate.ts"
import type * as Types from "../types/data.ts"

const verifications = (
  method: Method,
  service: Verifications["Service"],
): Services.Verifications => ({
  send: method(function* (input) {
    const sent = yield* service.send({
      phoneNumber: Fields.text(input.phoneNumber),
      channel: input.channel,
      codeLength: input.codeLength,
      expirySeconds: input.expirySeconds,
      locale: input.locale,
      brand: optionalText(input.brand),
      organization: yield* organizationOf(input),
    })
    const { channel, expiresInSeconds, requestId, to } = sent
    return { requestId, phoneNumber: to, channel, expiresInSeconds }
  }),
  check: method(function* (input) {
    const code = yield* text("code", input.code)
    const checked = yield* service.check({
      requestId: Fields.text(input.requestId),
      code: Redacted.make(code, { label: "code" }),
      organization: yield* organizationOf(input),
    })
    const { isFirst, requestId, to, verifiedAt } = checked
    return { requestId, phoneNumber: to, verifiedAt: date(verifiedAt), isFirst }
  }),
  status: method(function* (input) {
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
})

const messages = (method: Method, service: Messages["Service"]): Services.Messages => ({
  send: method(function* (input) {
    const { balance, channel, gatewayId, to } = yield* service.send({
      to: Fields.text(input.to),
      text: Fields.text(input.text),
      channel: input.channel,
      brand: optionalText(input.brand),
      organization: yield* organizationOf(input),
    })
    return { gatewayId, to, channel, balance: Money.format(balance) }
  }),
  preview: method(function* (input) {
    const {
      currency,
      price,
      segments = null,
    } = yield* service.preview({
      text: yield* text("text", input.text),
      channel: input.channel,
      to: yield* field("to", optionalText(input.to)),
      organization: yield* organizationOf(input),
    })
    return { segments, price: Money.format(price), currency }
  }),
  list: method(function* (input = {}) {
    const page = yield* service.list({
      limit: input.limit,
      page: input.page,
      from: millis(input.from),
      to: millis(input.to),
      organization: yield* organizationOf(input),
    })
    return { ...page, messages: page.messages.map(logEntry) }
  }),
  get: method(function* (input) {
    const id = yield* text("id", input.id)
    return logEntry(yield* service.get({ id, organization: yield* organizationOf(input) }))
  }),
})

const account = (method: Method, service: Accounts["Service"]): Services.Account => {
  const booking = (post: (typeof service)["adjust"] | (typeof service)["topUp"]) =>
    method(function* (input: Types.Booking) {
      const amount = yield* money(input.amount)
      const organization = yield* organizationOf(input)
      const note = yield* field("note", optionalText(input.note))
      const paymentId = yield* field("paymentId", optionalText(input.paymentId))
      return Money.format(yield* post({ organization, amount, note, paymentId }))
    })
  return {
    balance: method(function* (input = {}) {
      const organization = yield* organizationOf(input)
      const { balance, currency, held } = yield* service.balance({ organization })
      return { balance: Money.format(balance), held: Money.format(held), currency }
    }),
    topUp: booking(service.topUp),
    adjust: booking(service.adjust),
    entries: method(function* (input = {}) {
      const entries = yield* service.entries({
        organization: yield* organizationOf(input),
        after: yield* field("after", optionalInteger(input.after)),
        limit: yield* field("limit", optionalInteger(input.limit)),
      })
      return entries.map(ledgerEntry)
    }),
  }
}

const apiKeys = (method: Method, service: ApiKeys["Service"]): Services.ApiKeys => ({
  create: method(function* (input) {
    const created = yield* service.create({
      name: yield* text("name", input.name),
      environment: yield* field("environment", environment(input.environment ?? "live")),
      organization: yield* organizationOf(input),
    })
    return { ...apiKey(created), key: Redacted.value(created.key) }
  }),
  list: method(function* (input = {}) {
    const keys = yield* service.list(yield* organizationOf(input))
    return keys.map(apiKey)
  }),
  revoke: method(function* (input) {
    const id = ApiKeyId(yield* text("id", input.id))
    yield* service.revoke(yield* organizationOf(input), id)
  }),
})

const brands = (method: Method, service: Brands["Service"]): Services.Brands => ({
  save: method(function* (input) {
    return yield* service.save({
      id: yield* field("id", optionalText(input.id)),
      kind: yield* field("kind", brandKind(input.kind)),
      sender: yield* text("sender", input.sender),
      status: yield* field("status", brandStatus(input.status ?? "approved")),
      isDefault: yield* field("isDefault", optionalBoolean(input.isDefault)),
      organization: yield* organizationOf(input),
    })
  }),
  list: method(function* (input = {}) {
    return yield* service.list(yield* organizationOf(input))
  }),
})

const organizations = (
  method: Method,
  service: Organizations["Service"],
): Services.Organizations => {
  const applying = (change: (typeof service)["get"]) =>
    method(function* (id: string) {
      return organization(yield* change(yield* organizationId(id)))
    })
  return {
    create: method(function* (input) {
      const id = yield* text("id", input.id)
      const settings = yield* settingsOf(input)
      const name = yield* field("name", optionalText(input.name))
      return organization(yield* service.create({ id, name, settings }))
    }),
    get: applying(service.get),
    list: method(function* ({ after, limit } = {}) {
      const page = yield* service.list({
        after: after === undefined ? undefined : yield* organizationId(after, "after"),
        limit: yield* field("limit", optionalInteger(limit)),
      })
      return page.map(organizationSummary)
    }),
    configure: method(function* (id, settings) {
      const own = yield* organizationId(id)
      return organization(yield* service.configure(own, yield* settingsOf(settings)))
    }),
    rename: method(function* (id, name) {
      const own = yield* organizationId(id)
      return organization(yield* service.rename(own, yield* text("name", name)))
    }),
    suspend: applying(service.suspend),
    resume: applying(service.resume),
    repairTime: method(function* (id) {
      return yield* service.repairTime(yield* organizationId(id))
    }),
  }
}

const reports = (
  method: Method,
  service: Reports["Service"],
  { nameOf }: GatewayRegistry["Service"],
): Services.Reports => {
  const gatewayOf = ({ gateway }: Types.ReportedMessage) =>
    field("gateway", nameOf(gateway) ?? FieldProblem.make("unknown_gateway", {}))

  /** Finds the message that a report is about. */
  const reported = Effect.fnUntraced(function* (
    report: Types.ReportedMessage,
  ): Effect.fn.Return<CoreReport["of"], InvalidRequest | OrganizationNotFound> {
    if ("messageSequence" in report) {
      return {
        _tag: "Message",
        organization: yield* organizationOf(report),
        sequence: yield* field("messageSequence", positiveInteger(report.messageSequence)),
        token: yield* field("token", optionalText(report.token)),
      }
    }
    const gateway = yield* gatewayOf(report)
    return {
      _tag: "GatewayId",
      gateway,
      gatewayId: yield* field("gatewayId", id(report.gatewayId)),
    }
  })

  return {
    receive: method(function* (report) {
      const received = yield* service.receive({
        of: yield* reported(report),
        status: yield* field("status", reportStatus(report.status)),
        reason: yield* field("reason", rejectionReason(report.reason)),
        gateway: report.gateway === undefined ? undefined : yield* gatewayOf(report),
        detail: (yield* field("detail", optionalText(report.detail ?? undefined))) ?? null,
        evidence: yield* field("evidence", evidence(report.evidence)),
        unreachable: yield* field("unreachable", optionalBoolean(report.unreachable)),
      })
      return received === "unreadable"
        ? yield* invalid("report", FieldProblem.make("unreadable", {}))
        : received
    }),
    forMessage: method(function* (message) {
      const sequence = yield* field("sequence", Fields.integer(message.sequence))
      const organization = yield* organizationOf(message)
      const found = yield* service.forMessage({ organization, sequence })
      return found.map(messageReport)
    }),
  }
}

const fraud = (method: Method, service: Fraud["Service"]): Services.Fraud => ({
  findings: method(function* (input = {}) {
    const limit = yield* field("limit", optionalInteger(input.limit))
    const found = yield* service.findings(yield* organizationOf(input), { limit })
    return found.map(finding)
  }),
})

/** Creates all services over the engine in the context. */
export const make = (
  run: Run,
  context: Context.Context<Engine.Engine | GatewayRegistry>,
): Services.Services => {
  const method = methodOf(run)
  return {
    verifications: verifications(method, Context.get(context, Verifications)),
    messages: messages(method, Context.get(context, Messages)),
    account: account(method, Context.get(context, Accounts)),
    apiKeys: apiKeys(method, Context.get(context, ApiKeys)),
    brands: brands(method, Context.get(context, Brands)),
    organizations: organizations(method, Context.get(context, Organizations)),
    reports: reports(method, Context.get(context, Reports), Context.get(context, GatewayRegistry)),
    fraud: fraud(method, Context.get(context, Fraud)),
  }
}
