import { apiKeys } from "@countersign/core/api/apiKeys"
import { senders } from "@countersign/core/api/senders"
import { organizations } from "@countersign/core/api/organizations"
import { Accounts } from "@countersign/core/services/Accounts"
import { ApiKeys } from "@countersign/core/services/ApiKeys"
import { Audit } from "@countersign/core/services/Audit"
import { Brands } from "@countersign/core/services/Brands"
import type * as Engine from "@countersign/core/Engine"
import { EventLog } from "@countersign/core/services/EventLog"
import { Fraud } from "@countersign/core/services/Fraud"
import * as Fields from "@countersign/core/domain/values/FieldReaders"
import * as Statement from "@countersign/core/domain/money/Statement"
import { Organizations } from "@countersign/core/services/Organizations"
import { Privacy } from "@countersign/core/services/Privacy"
import { Refusals } from "@countersign/core/engine/Refusals"
import { Totals } from "@countersign/core/services/Totals"
import { Webhooks } from "@countersign/core/services/Webhooks"
import * as Context from "effect/Context"
import type { GatewayRegistry } from "../gateways/gatewayRegistry.ts"
import * as AuditLog from "./audit.ts"
import * as RefusalMethods from "./refusals.ts"
import * as Events from "./events.ts"
import * as MessageMethods from "./messages.ts"
import * as VerificationMethods from "./verifications.ts"
import * as WebhookMethods from "./webhooks.ts"
import * as ReportMethods from "./reports.ts"
import * as PrivacyApi from "./privacy.ts"
import * as Input from "@countersign/core/codec/InputReaders"
import * as AccountCodec from "@countersign/core/codec/AccountCodec"
import * as Codec from "@countersign/core/codec/Codec"
import type * as Services from "../types/services.ts"
import type { Run } from "../errors/run.ts"
import { fraudRules } from "../options/optionSchema.ts"
import { promisesOf } from "./promises.ts"
import { type Methods, methodsOf, nested } from "./method.ts"
import type * as Types from "@countersign/core/codec/Data"
import type { Booked } from "@countersign/core/codec/TotalsData"
import type { FraudRules } from "@countersign/core/api/Inputs"

const { organization, optionalText, optionalInteger } = Input

const account = ({ method }: Methods, service: Accounts["Service"]): Services.Account => {
  const booking = (post: (typeof service)["adjust"] | (typeof service)["topUp"]) =>
    method<Types.Booking, typeof bookingFields, Booked, []>(bookingFields, function* (input) {
      return AccountCodec.booked(yield* post({ ...input, note: input.note ?? "" }))
    })
  return {
    balance: method({ organization }, function* (input) {
      return AccountCodec.accountBalance(yield* service.balance(input))
    }),
    topUp: booking(service.topUp),
    adjust: booking(service.adjust),
    entries: method(
      { organization, after: optionalInteger, limit: optionalInteger },
      function* (input) {
        return (yield* service.entries(input)).map(Codec.ledgerEntry)
      },
    ),
    statement: method(Input.period, function* (input) {
      return Codec.statement(yield* service.statement(input))
    }),
    statementCsv: method(Input.period, function* (input) {
      const statement = yield* service.statement(input)
      return Statement.toCsv(statement, statement.currency)
    }),
  }
}

const bookingFields = {
  amount: Input.decimal,
  organization,
  note: optionalText,
  paymentId: optionalText,
}

const fraud = ({ method }: Methods, service: Fraud["Service"]): Services.Fraud => ({
  findings: method({ organization, limit: optionalInteger }, function* ({ organization, limit }) {
    return (yield* service.findings(organization, { limit })).map(Codec.finding)
  }),
  trial: method(
    {
      organization,
      from: Input.millis,
      to: Input.millis,
      rules: nested<FraudRules, ReturnType<typeof Fields.object>>(fraudRules, Fields.object),
    },
    function* ({ rules, ...input }) {
      const trial = { ...input, rules: yield* Input.fraudRules(rules) }
      return Codec.fraudTrial(yield* service.trial(trial))
    },
  ),
})

const totals = ({ method }: Methods, service: Totals["Service"]): Services.Totals => ({
  read: method(Input.totalsQuery, function* (input) {
    return (yield* service.read(input)).map(Codec.total)
  }),
})

export const make = (
  run: Run,
  context: Context.Context<Engine.Engine | GatewayRegistry>,
): Services.Services => {
  const methods = methodsOf(run)
  return {
    verifications: VerificationMethods.make(methods, context),
    messages: MessageMethods.make(methods, context),
    account: account(methods, Context.get(context, Accounts)),
    apiKeys: promisesOf(run, apiKeys, Context.get(context, ApiKeys)),
    brands: promisesOf(run, senders, Context.get(context, Brands)),
    organizations: promisesOf(run, organizations, Context.get(context, Organizations)),
    reports: ReportMethods.make(methods, context),
    fraud: fraud(methods, Context.get(context, Fraud)),
    totals: totals(methods, Context.get(context, Totals)),
    events: Events.make(methods, Context.get(context, EventLog)),
    webhooks: WebhookMethods.make(methods, Context.get(context, Webhooks)),
    privacy: PrivacyApi.make(methods, Context.get(context, Privacy)),
    audit: AuditLog.make(methods, Context.get(context, Audit)),
    refusals: RefusalMethods.make(methods, Context.get(context, Refusals)),
  }
}
