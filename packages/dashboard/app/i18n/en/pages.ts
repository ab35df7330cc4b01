/** The texts that are loaded with their pages. The first visit of another page does not load them. */
import { activity } from "./activity.ts"
import { apiKeys } from "./apiKeys.ts"
import { audit } from "./audit.ts"
import { batches } from "./batches.ts"
import { fraud } from "./fraud.ts"
import { found } from "./found.ts"
import { gateways } from "./gateways.ts"
import { optOuts } from "./optOuts.ts"
import { organizations } from "./organizations.ts"
import { queued } from "./queued.ts"
import { senders } from "./senders.ts"
import { settingsPage } from "./settings.ts"

export const pageTexts = {
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
}
