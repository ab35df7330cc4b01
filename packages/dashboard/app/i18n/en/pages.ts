/** The texts that are loaded with their pages. The first visit of another page does not load them. */
import { audit } from "./audit.ts"
import { batches } from "./batches.ts"
import { fraud } from "./fraud.ts"
import { gateways } from "./gateways.ts"
import { optOuts } from "./optOuts.ts"
import { queued } from "./queued.ts"
import { senders } from "./senders.ts"

export const pageTexts = {
  ...audit,
  ...batches,
  ...fraud,
  ...gateways,
  ...optOuts,
  ...queued,
  ...senders,
}
