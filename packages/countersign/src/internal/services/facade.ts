import { account } from "@countersign/core/api/account"
import { batches } from "@countersign/core/api/batches"
import { Batches } from "@countersign/core/services/Batches"
import { actor, audit } from "@countersign/core/api/audit"
import { refusals } from "@countersign/core/api/refusals"
import { fraud } from "@countersign/core/api/fraud"
import { totals } from "@countersign/core/api/totals"
import { webhooks } from "@countersign/core/api/webhooks"
import { alerts } from "@countersign/core/api/alerts"
import { apiKeys } from "@countersign/core/api/apiKeys"
import { senders } from "@countersign/core/api/senders"
import { optOuts } from "@countersign/core/api/optOuts"
import { organizations } from "@countersign/core/api/organizations"
import { BoundedCache } from "@countersign/core/domain/values/BoundedCache"
import { Accounts } from "@countersign/core/services/Accounts"
import { Alerts } from "@countersign/core/services/Alerts"
import { ApiKeys } from "@countersign/core/services/ApiKeys"
import { Audit } from "@countersign/core/services/Audit"
import { Senders } from "@countersign/core/services/Senders"
import type * as Engine from "@countersign/core/Engine"
import { EventLog } from "@countersign/core/services/EventLog"
import { Fraud } from "@countersign/core/services/Fraud"
import { OptOuts } from "@countersign/core/services/OptOuts"
import { Organizations } from "@countersign/core/services/Organizations"
import { Privacy } from "@countersign/core/services/Privacy"
import { Refusals } from "@countersign/core/engine/Refusals"
import { Totals } from "@countersign/core/services/Totals"
import { Webhooks } from "@countersign/core/services/Webhooks"
import * as Input from "@countersign/core/api/Input"
import { OrganizationNotFound } from "@countersign/core/domain/errors/Errors"
import * as FieldProblem from "@countersign/core/domain/values/FieldProblem"
import * as Fields from "@countersign/core/domain/values/FieldReaders"
import { isOrganizationId } from "@countersign/core/domain/values/Ids"
import { Actor } from "@countersign/core/domain/values/Actor"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { GatewayRegistry } from "../gateways/gatewayRegistry.ts"
import * as Subjects from "./subjects.ts"
import type * as Types from "@countersign/core/api/PlainTypes"
import type * as Services from "../types/services.ts"
import { loginKey, type LoginOf } from "../engine/loginKey.ts"
import type { Run } from "../errors/run.ts"
import { translate } from "../errors/translation.ts"
import { type AllMethods, bind, type Scope, promisesOf } from "./promises.ts"

const readActor = Input.reading({ input: actor })

/** A `Run` in the name of an actor. Throws an `InvalidRequestError` for values that are no actor. */
export const runAs = (run: Run, given: Types.Actor): Run => {
  const read = readActor(given)
  if (Result.isFailure(read)) throw translate(read.failure)
  const { origin = null, ...known } = read.success
  return (effect) => run(Effect.provideService(effect, Actor, { ...known, origin }))
}

/** The organization of a handle. Throws an `InvalidRequestError` if it is no text, or empty. */
const organizationOf = (id: unknown): Scope["organization"] => {
  const text = Fields.name(id)
  if (FieldProblem.isFieldProblem(text)) throw translate(Input.invalid("organization", text))
  return isOrganizationId(text) ? Result.succeed(text) : Result.fail(new OrganizationNotFound())
}

const ofNone: Scope["organization"] = Result.fail(
  Input.invalid("organization", FieldProblem.make("no_organization", {})),
)

/** Number of organizations whose handles are kept. A handle takes 8 kB, and as long to make as a tenth of a check. */
const keptHandles = 1_000

/** Makes the services, for each caller. Without a default organization, calls have to name theirs. */
export const make = (
  context: Context.Context<Engine.Engine | GatewayRegistry>,
  hasDefault: boolean,
  login: LoginOf,
): ((run: Run) => Services.Services) => {
  const accounts = Context.get(context, Accounts)
  const log = Context.get(context, Audit)
  const ofOrganization: AllMethods<Services.OrganizationServices> = {
    verifications: Subjects.makeVerifications(context),
    messages: Subjects.makeMessages(context),
    batches: promisesOf(batches, Context.get(context, Batches)),
    account: promisesOf(account, { ...accounts, statementCsv: accounts.statement }),
    apiKeys: promisesOf(apiKeys, Context.get(context, ApiKeys)),
    senders: promisesOf(senders, Context.get(context, Senders)),
    optOuts: promisesOf(optOuts, Context.get(context, OptOuts)),
    webhooks: promisesOf(webhooks, Context.get(context, Webhooks)),
    events: Subjects.makeEvents(Context.get(context, EventLog)),
    fraud: promisesOf(fraud, Context.get(context, Fraud)),
    alerts: promisesOf(alerts, Context.get(context, Alerts)),
    totals: promisesOf(totals, Context.get(context, Totals)),
    privacy: Subjects.makePrivacy(Context.get(context, Privacy)),
    audit: promisesOf(audit, { ...log, list: log.list }),
    refusals: promisesOf(refusals, Context.get(context, Refusals)),
  }
  const ofHost: AllMethods<Pick<Services.Services, "organizations" | "reports">> = {
    organizations: promisesOf(organizations, Context.get(context, Organizations)),
    reports: Subjects.makeReports(context),
  }
  const withLogin = (organization: Scope["organization"]) => ({ [loginKey]: login(organization) })
  return (run) => {
    const scope = { run, organization: hasDefault ? Input.ofDefault : ofNone }
    const handles = new BoundedCache<string, Services.OrganizationServices>(keptHandles)
    const handleOf = (id: string): Services.OrganizationServices => {
      const organization = organizationOf(id)
      const handle = { ...bind(ofOrganization, { run, organization }), ...withLogin(organization) }
      handles.set(id, handle)
      return handle
    }
    return {
      ...withLogin(scope.organization),
      ...bind(ofOrganization, scope),
      ...bind(ofHost, scope),
      organization: (id) => handles.get(id) ?? handleOf(id),
    }
  }
}
