import type { Dictionary, PageTexts } from "../dictionary.ts"
import { activity } from "./activity.ts"
import { apiKeys } from "./apiKeys.ts"
import { audit } from "./audit.ts"
import { errors } from "./errors.ts"
import { batches } from "./batches.ts"
import { found } from "./found.ts"
import { fraud } from "./fraud.ts"
import { gateways } from "./gateways.ts"
import { management } from "./management.ts"
import { optOuts } from "./optOuts.ts"
import { overview } from "./overview.ts"
import { problems } from "./problems.ts"
import { organizations } from "./organizations.ts"
import { queued } from "./queued.ts"
import { refused } from "./refused.ts"
import { senders } from "./senders.ts"
import { settingsPage } from "./settings.ts"
import { shell } from "./shell.ts"
import { traffic } from "./traffic.ts"

export const bangla: Dictionary & PageTexts = {
  ...activity,
  ...apiKeys,
  ...audit,
  ...batches,
  ...found,
  ...fraud,
  ...gateways,
  ...optOuts,
  ...organizations,
  ...queued,
  ...senders,
  ...settingsPage,
  ...shell,
  ...errors,
  ...problems,
  ...traffic,
  ...management,
  ...overview,
  ...refused,
}
