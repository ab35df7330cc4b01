import { Accounts } from "@countersign/core/services/Accounts"
import { ApiKeys } from "@countersign/core/services/ApiKeys"
import { Audit } from "@countersign/core/services/Audit"
import { Brands } from "@countersign/core/services/Brands"
import type * as Engine from "@countersign/core/services/Engine"
import { EventLog } from "@countersign/core/services/EventLog"
import { Fraud } from "@countersign/core/services/Fraud"
import { History } from "@countersign/core/services/History"
import * as Fields from "@countersign/core/domain/Fields"
import { ApiKeyId, BrandId } from "@countersign/core/domain/Ids"
import { Messages } from "@countersign/core/services/Messages"
import * as Money from "@countersign/core/domain/Money"
import * as Statement from "@countersign/core/domain/Statement"
import { Organizations } from "@countersign/core/services/Organizations"
import { Privacy } from "@countersign/core/services/Privacy"
import { Totals } from "@countersign/core/services/Totals"
import { Verifications } from "@countersign/core/services/Verifications"
import { Webhooks } from "@countersign/core/services/Webhooks"
import * as Context from "effect/Context"
import * as Redacted from "effect/Redacted"
import type { GatewayRegistry } from "../gateways/gatewayRegistry.ts"
import * as AuditLog from "./audit.ts"
import * as Events from "./events.ts"
import * as HistoryMethods from "./history.ts"
import * as WebhookMethods from "./webhooks.ts"
import * as ReportMethods from "./reports.ts"
import * as PrivacyApi from "./privacy.ts"
import * as Input from "@countersign/core/codec/InputReaders"
import * as Codec from "@countersign/core/codec/Codec"
import type * as Services from "../types/services.ts"
import { type Method, methodOf, type Run } from "../errors/translate.ts"
import type * as Types from "@countersign/core/codec/Data"

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
      brand: Input.optionalText(input.brand),
      client: Input.optionalText(input.client),
      purpose: Input.optionalText(input.purpose),
      metadata: Input.metadata(input.metadata),
      payment: Input.payment(input.payment),
      idempotencyKey: Input.optionalText(input.idempotencyKey),
      organization: yield* Input.organizationOf(input),
    })
    const { channel, expiresInSeconds, requestId, phoneNumber } = sent
    return { requestId, phoneNumber, channel, expiresInSeconds }
  }),
  resend: method(function* (input) {
    const { status: _, ...sent } = yield* service.resend({
      requestId: Fields.text(input.requestId),
      channel: input.channel,
      client: Input.optionalText(input.client),
      idempotencyKey: Input.optionalText(input.idempotencyKey),
      organization: yield* Input.organizationOf(input),
    })
    return sent
  }),
  cancel: method(function* (input) {
    return yield* service.cancel({
      requestId: Fields.text(input.requestId),
      organization: yield* Input.organizationOf(input),
    })
  }),
  consume: method(function* (input) {
    const { consumedAt, metadata, phoneNumber, proof, purpose, requestId, verifiedAt } =
      yield* service.consume({
        requestId: Fields.text(input.requestId),
        purpose: Input.optionalText(input.purpose),
        audience: Input.optionalText(input.audience),
        idempotencyKey: Input.optionalText(input.idempotencyKey),
        organization: yield* Input.organizationOf(input),
      })
    return {
      requestId,
      phoneNumber,
      purpose,
      metadata: Codec.metadata(metadata),
      verifiedAt: Codec.date(verifiedAt),
      consumedAt: Codec.date(consumedAt),
      proof: proof === undefined ? null : Redacted.value(proof),
    }
  }),
  check: method(function* (input) {
    const code = yield* Input.text("code", input.code)
    const checked = yield* service.check({
      requestId: Input.optionalText(input.requestId),
      phoneNumber: Input.optionalText(input.phoneNumber),
      purpose: Input.optionalText(input.purpose),
      code: Redacted.make(code, { label: "code" }),
      client: Input.optionalText(input.client),
      organization: yield* Input.organizationOf(input),
    })
    const { isFirst, requestId, phoneNumber, verifiedAt } = checked
    return { requestId, phoneNumber, verifiedAt: Codec.date(verifiedAt), isFirst }
  }),
  resetGuesses: method(function* (input) {
    yield* service.resetGuesses({
      phoneNumber: Fields.text(input.phoneNumber),
      organization: yield* Input.organizationOf(input),
    })
  }),
  status: method(function* (input) {
    const status = yield* service.status({
      requestId: yield* Input.text("requestId", input.requestId),
      organization: yield* Input.organizationOf(input),
    })
    return { ...Codec.verification(status), messages: status.messages.map(Codec.logEntry) }
  }),
  search: method(function* (input = {}) {
    const { next = null, verifications } = yield* service.search({
      ...Input.search(input),
      statuses: Input.verificationStates(input.statuses),
      organization: yield* Input.organizationOf(input),
    })
    return { verifications: verifications.map(Codec.verification), next }
  }),
})

const messages = (method: Method, service: Messages["Service"]): Services.Messages => ({
  send: method(function* (input) {
    const { balance, channel, gatewayId, phoneNumber } = yield* service.send({
      phoneNumber: Fields.text(input.phoneNumber),
      text: Fields.text(input.text),
      channel: input.channel,
      brand: Input.optionalText(input.brand),
      idempotencyKey: Input.optionalText(input.idempotencyKey),
      organization: yield* Input.organizationOf(input),
    })
    return { gatewayId, phoneNumber, channel, balance: Money.format(balance) }
  }),
  preview: method(function* (input) {
    const {
      currency,
      price,
      segments = null,
    } = yield* service.preview({
      text: yield* Input.text("text", input.text),
      channel: input.channel,
      phoneNumber: yield* Input.field("phoneNumber", Input.optionalText(input.phoneNumber)),
      organization: yield* Input.organizationOf(input),
    })
    return { segments, price: Money.format(price), currency }
  }),
  list: method(function* (input = {}) {
    const page = yield* service.list({
      limit: input.limit,
      page: input.page,
      from: Input.millis(input.from),
      to: Input.millis(input.to),
      organization: yield* Input.organizationOf(input),
    })
    return { ...page, messages: page.messages.map(Codec.logEntry) }
  }),
  search: method(function* (input = {}) {
    const { messages, next = null } = yield* service.search({
      ...Input.search(input),
      statuses: Input.messageStatuses(input.statuses),
      gateway: Input.optionalText(input.gateway),
      gatewayId: Input.optionalText(input.gatewayId),
      organization: yield* Input.organizationOf(input),
    })
    return { messages: messages.map(Codec.logEntry), next }
  }),
  get: method(function* (input) {
    const id = yield* Input.text("id", input.id)
    return Codec.logEntry(
      yield* service.get({ id, organization: yield* Input.organizationOf(input) }),
    )
  }),
})

const account = (method: Method, service: Accounts["Service"]): Services.Account => {
  const booking = (post: (typeof service)["adjust"] | (typeof service)["topUp"]) =>
    method(function* (input: Types.Booking) {
      const amount = yield* Input.money(input.amount)
      const organization = yield* Input.organizationOf(input)
      const note = (yield* Input.field("note", Input.optionalText(input.note))) ?? ""
      const paymentId = yield* Input.field("paymentId", Input.optionalText(input.paymentId))
      return Money.format(yield* post({ organization, amount, note, paymentId }))
    })
  return {
    balance: method(function* (input = {}) {
      const organization = yield* Input.organizationOf(input)
      const { balance, currency, held } = yield* service.balance({ organization })
      return { balance: Money.format(balance), held: Money.format(held), currency }
    }),
    topUp: booking(service.topUp),
    adjust: booking(service.adjust),
    entries: method(function* (input = {}) {
      const entries = yield* service.entries({
        organization: yield* Input.organizationOf(input),
        after: yield* Input.field("after", Input.optionalInteger(input.after)),
        limit: yield* Input.field("limit", Input.optionalInteger(input.limit)),
      })
      return entries.map(Codec.ledgerEntry)
    }),
    statement: method(function* (input) {
      return Codec.statement(yield* service.statement(yield* Input.period(input)))
    }),
    statementCsv: method(function* (input) {
      const statement = yield* service.statement(yield* Input.period(input))
      return Statement.toCsv(statement, statement.currency)
    }),
  }
}

const apiKeys = (method: Method, service: ApiKeys["Service"]): Services.ApiKeys => ({
  create: method(function* (input) {
    const created = yield* service.create({
      name: yield* Input.text("name", input.name),
      environment: yield* Input.field(
        "environment",
        Input.environment(input.environment ?? "live"),
      ),
      expiresAt: yield* Input.field("expiresAt", Input.millis(input.expiresAt)),
      scopes: input.scopes,
      organization: yield* Input.organizationOf(input),
    })
    return { ...Codec.apiKey(created), key: Redacted.value(created.key) }
  }),
  list: method(function* (input = {}) {
    const page = yield* Input.listPage(input)
    const keys = yield* service.list(yield* Input.organizationOf(input), page)
    return keys.map(Codec.apiKey)
  }),
  revoke: method(function* (input) {
    const id = ApiKeyId(yield* Input.text("id", input.id))
    yield* service.revoke(yield* Input.organizationOf(input), id)
  }),
})

const brands = (method: Method, service: Brands["Service"]): Services.Brands => ({
  save: method(function* (input) {
    return yield* service.save({
      id: yield* Input.field("id", Input.optionalText(input.id)),
      kind: yield* Input.field("kind", Input.brandKind(input.kind)),
      sender: yield* Input.text("sender", input.sender),
      status: yield* Input.field("status", Input.brandStatus(input.status ?? "approved")),
      isDefault: yield* Input.field("isDefault", Input.optionalBoolean(input.isDefault)),
      organization: yield* Input.organizationOf(input),
    })
  }),
  withdraw: method(function* (input) {
    const id = BrandId(yield* Input.text("id", input.id))
    yield* service.withdraw(yield* Input.organizationOf(input), id)
  }),
  list: method(function* (input = {}) {
    const page = yield* Input.listPage(input)
    return yield* service.list(yield* Input.organizationOf(input), page)
  }),
})

const organizations = (
  method: Method,
  service: Organizations["Service"],
): Services.Organizations => {
  const applying = (change: (typeof service)["get"]) =>
    method(function* (id: string) {
      return Codec.organization(yield* change(yield* Input.organizationId(id)))
    })
  return {
    create: method(function* (input) {
      const id = yield* Input.text("id", input.id)
      const settings = yield* Input.settingsOf(input)
      const name = yield* Input.field("name", Input.optionalText(input.name))
      return Codec.organization(yield* service.create({ id, name, settings }))
    }),
    get: applying(service.get),
    list: method(function* ({ after, limit } = {}) {
      const page = yield* service.list({
        after: yield* Input.afterOrganization(after),
        limit: yield* Input.field("limit", Input.optionalInteger(limit)),
      })
      return page.map(Codec.organizationSummary)
    }),
    configure: method(function* (id, settings) {
      const own = yield* Input.organizationId(id)
      return Codec.organization(yield* service.configure(own, yield* Input.settingsOf(settings)))
    }),
    rename: method(function* (id, name) {
      const own = yield* Input.organizationId(id)
      return Codec.organization(yield* service.rename(own, yield* Input.text("name", name)))
    }),
    suspend: applying(service.suspend),
    resume: applying(service.resume),
    repairTime: method(function* (id) {
      return yield* service.repairTime(yield* Input.organizationId(id))
    }),
  }
}

const fraud = (method: Method, service: Fraud["Service"]): Services.Fraud => ({
  findings: method(function* (input = {}) {
    const limit = yield* Input.field("limit", Input.optionalInteger(input.limit))
    const found = yield* service.findings(yield* Input.organizationOf(input), { limit })
    return found.map(Codec.finding)
  }),
  trial: method(function* (input) {
    return Codec.fraudTrial(yield* service.trial(yield* Input.fraudTrial(input)))
  }),
})

const totals = (method: Method, service: Totals["Service"]): Services.Totals => ({
  read: method(function* (input) {
    const found = yield* service.read(yield* Input.totalsQuery(input))
    return found.map(Codec.total)
  }),
})

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
    reports: ReportMethods.make(method, context),
    fraud: fraud(method, Context.get(context, Fraud)),
    totals: totals(method, Context.get(context, Totals)),
    events: Events.make(method, Context.get(context, EventLog)),
    webhooks: WebhookMethods.make(method, Context.get(context, Webhooks)),
    history: HistoryMethods.make(method, Context.get(context, History)),
    privacy: PrivacyApi.make(method, Context.get(context, Privacy)),
    audit: AuditLog.make(method, Context.get(context, Audit)),
  }
}
