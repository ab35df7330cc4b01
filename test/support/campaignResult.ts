/** The totals of a campaign, as `test/soak/results` has them. Apart from the campaigns, which load vitest. */
import * as Schema from "effect/Schema"

export const CampaignResult = Schema.fromJsonString(
  Schema.Struct({
    /** The commit that was tested. */
    commit: Schema.String,
    /** The day of the last turn, such as `2026-11-27`. */
    date: Schema.String,
    trials: Schema.Int,
    seconds: Schema.Int,
    /** What was counted, by name; the campaign's own. */
    counts: Schema.Record(Schema.String, Schema.Finite),
  }),
)

export type CampaignResult = typeof CampaignResult.Type

export const decodeResult = Schema.decodeSync(CampaignResult)
