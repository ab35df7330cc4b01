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
import * as Input from "@countersign/core/codec/InputReaders"
import { OrganizationNotFound } from "@countersign/core/domain/errors/Errors"
import * as FieldProblem from "@countersign/core/domain/values/FieldProblem"
import { isOrganizationId, OrganizationId } from "@countersign/core/domain/values/Ids"
import * as Context from "effect/Context"
import * as Result from "effect/Result"
import type { GatewayRegistry } from "../gateways/gatewayRegistry.ts"
import * as Events from "./events.ts"
import * as MessageMethods from "./messages.ts"
import * as VerificationMethods from "./verifications.ts"
import * as ReportMethods from "./reports.ts"
import * as PrivacyApi from "./privacy.ts"
import type * as Services from "../types/services.ts"
import type { Run } from "../errors/run.ts"
import { translate } from "../errors/translation.ts"
import { promisesOf } from "./promises.ts"
import { bind, type Scope } from "./scope.ts"

/** The organization of a handle. Throws an `InvalidRequestError` if it is no text, or empty. */
const organizationOf = (id: unknown): Scope["organization"] => {
  const text = Input.id(id)
  if (FieldProblem.isFieldProblem(text)) throw translate(Input.invalid("organization", text))
  return isOrganizationId(text) ? Result.succeed(text) : Result.fail(new OrganizationNotFound())
}

const ofDefault: Scope["organization"] = Result.succeed(OrganizationId(Input.defaultOrganization))

const ofNone: Scope["organization"] = Result.fail(
  Input.invalid("organization", FieldProblem.make("no_organization", {})),
)

/** Makes the services, for each caller. Without a default organization, calls have to name theirs. */
export const make = (
  context: Context.Context<Engine.Engine | GatewayRegistry>,
  hasDefault: boolean,
): ((run: Run) => Services.Services) => {
  const accounts = Context.get(context, Accounts)
  const records = Context.get(context, Audit)
  const verifications = VerificationMethods.make(context)
  const messages = MessageMethods.make(context)
  const money = promisesOf(account, { ...accounts, statementCsv: accounts.statement })
  const keys = promisesOf(apiKeys, Context.get(context, ApiKeys))
  const names = promisesOf(senders, Context.get(context, Senders))
  const reports = ReportMethods.make(context)
  const installation = promisesOf(organizations, Context.get(context, Organizations))
  const frauds = promisesOf(fraud, Context.get(context, Fraud))
  const counts = promisesOf(totals, Context.get(context, Totals))
  const events = Events.make(Context.get(context, EventLog))
  const hooks = promisesOf(webhooks, Context.get(context, Webhooks))
  const privacy = PrivacyApi.make(Context.get(context, Privacy))
  const log = promisesOf(audit, { ...records, list: records.read })
  const refused = promisesOf(refusals, Context.get(context, Refusals))
  const of = (scope: Scope): Services.OrganizationServices => ({
    verifications: bind(verifications, scope),
    messages: bind(messages, scope),
    account: bind(money, scope),
    apiKeys: bind(keys, scope),
    senders: bind(names, scope),
    fraud: bind(frauds, scope),
    totals: bind(counts, scope),
    events: bind(events, scope),
    webhooks: bind(hooks, scope),
    privacy: bind(privacy, scope),
    audit: bind(log, scope),
    refusals: bind(refused, scope),
  })
  return (run) => {
    const scope = { run, organization: hasDefault ? ofDefault : ofNone }
    return {
      ...of(scope),
      organization: (id) => of({ run, organization: organizationOf(id) }),
      organizations: bind(installation, scope),
      reports: bind(reports, scope),
    }
  }
}
