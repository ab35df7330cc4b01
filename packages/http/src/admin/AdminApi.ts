/**
 * The admin API: its endpoints below `/api` of the mount. Contains schemas only; `Admin` has the handlers.
 */
import * as HttpApi from "effect/http-api/HttpApi"
import * as OpenApi from "effect/http-api/OpenApi"
import { Authorization } from "./Principal.ts"
import * as Organizations from "./internal/organizationGroups.ts"
import { finish } from "./internal/openApi.ts"
import * as Records from "./internal/recordGroups.ts"

/** The admin API. Paths are relative to `/api` of the mount. */
export const AdminApi = HttpApi.make("countersign-admin")
  .add(Organizations.session)
  .add(Organizations.host)
  .add(Organizations.organizations)
  .add(Organizations.settings)
  .add(Organizations.apiKeys)
  .add(Organizations.brands)
  .add(Organizations.account)
  .add(Records.messages)
  .add(Records.verifications)
  .add(Records.fraud)
  .add(Records.events)
  .add(Organizations.webhooks)
  .add(Records.records)
  .add(Records.privacy)
  .middleware(Authorization)
  .annotate(HttpApi.ParseOptions, { errors: "all" })
  .annotateMerge(
    OpenApi.annotations({
      title: "Countersign admin",
      version: "1",
      description: "Everything that an operator, or a tenant of the host, does by hand.",
      license: { name: "Apache License 2.0", identifier: "Apache-2.0" },
      transform: finish,
    }),
  )
