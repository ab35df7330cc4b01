/** Row 2: sends of a thousand organizations, in turns. */
import { compareSends } from "../compareLoads.ts"
import type { Measurement } from "../Measurement.ts"

export const organizations: Measurement = {
  id: "organizations",
  title: "Sends of 1,000 organizations",
  rows: [2],
  run: (context) =>
    compareSends(
      context,
      "`POST /verify`, 1,000 organizations",
      context.scale === "full" ? 1_000 : 20,
      new Map([
        [64, { times: 1.6 }],
        [256, { times: 1.8 }],
      ]),
    ),
}
