/** Row 2: sends of a thousand organizations, in turns. */
import type { Measurement } from "../Measurement.ts"
import { withSides } from "../sides.ts"
import { compareSends } from "./send.ts"

export const organizations: Measurement = {
  id: "organizations",
  title: "Sends of 1,000 organizations",
  rows: [2],
  run: (context) =>
    withSides(
      context,
      "handWritten",
      { organizations: context.scale === "full" ? 1_000 : 20 },
      (ours, other) =>
        compareSends(
          context,
          ours,
          other,
          "`POST /verify`, 1,000 organizations",
          new Map([
            [64, 2],
            [256, 3],
          ]),
        ),
    ),
}
