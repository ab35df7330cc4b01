import { account } from "@countersign/core/api/account"
import { audit } from "@countersign/core/api/audit"
import { refusals } from "@countersign/core/api/refusals"
import { fraud } from "@countersign/core/api/fraud"
import { totals } from "@countersign/core/api/totals"
import { webhooks } from "@countersign/core/api/webhooks"
import { apiKeys } from "@countersign/core/api/apiKeys"
import { senders } from "@countersign/core/api/senders"
import { organizations } from "@countersign/core/api/organizations"
import { Accounts } from "@countersign/core/services/Accounts"
import { ApiKeys } from "@countersign/core/services/ApiKeys"
import { Audit } from "@countersign/core/services/Audit"
import { Senders } from "@countersign/core/services/Senders"
import type * as Engine from "@countersign/core/Engine"
import { EventLog } from "@countersign/core/services/EventLog"
import { Fraud } from "@countersign/core/services/Fraud"
import { Organizations } from "@countersign/core/services/Organizations"
import { Privacy } from "@countersign/core/services/Privacy"
import { Refusals } from "@countersign/core/engine/Refusals"
import { Totals } from "@countersign/core/services/Totals"
import { Webhooks } from "@countersign/core/services/Webhooks"
import * as Context from "effect/Context"
import type { GatewayRegistry } from "../gateways/gatewayRegistry.ts"
import * as Events from "./events.ts"
import * as MessageMethods from "./messages.ts"
import * as VerificationMethods from "./verifications.ts"
import * as ReportMethods from "./reports.ts"
import * as PrivacyApi from "./privacy.ts"
import type * as Services from "../types/services.ts"
import type { Run } from "../errors/run.ts"
import { promisesOf } from "./promises.ts"
import { methodsOf } from "./method.ts"

export const make = (
  run: Run,
  context: Context.Context<Engine.Engine | GatewayRegistry>,
): Services.Services => {
  const methods = methodsOf(run)
  const accounts = Context.get(context, Accounts)
  return {
    verifications: VerificationMethods.make(methods, context),
    messages: MessageMethods.make(methods, context),
    account: promisesOf(run, account, { ...accounts, statementCsv: accounts.statement }),
    apiKeys: promisesOf(run, apiKeys, Context.get(context, ApiKeys)),
    brands: promisesOf(run, senders, Context.get(context, Senders)),
    organizations: promisesOf(run, organizations, Context.get(context, Organizations)),
    reports: ReportMethods.make(methods, context),
    fraud: promisesOf(run, fraud, Context.get(context, Fraud)),
    totals: promisesOf(run, totals, Context.get(context, Totals)),
    events: Events.make(methods, Context.get(context, EventLog)),
    webhooks: promisesOf(run, webhooks, Context.get(context, Webhooks)),
    privacy: PrivacyApi.make(methods, Context.get(context, Privacy)),
    audit: promisesOf(run, audit, Context.get(context, Audit)),
    refusals: promisesOf(run, refusals, Context.get(context, Refusals)),
  }
}
