/** The errors of queued sends. */
import * as Param from "./ErrorRow.ts"
import { error } from "./ErrorRow.ts"

/** A queued send has ended: it was sent, refused, cancelled, or was too late. */
export class NotQueued extends error<NotQueued>()("NotQueued", {
  code: "not_queued",
  status: 409,
  params: {
    end: Param.oneOf(
      ["sent", "refused", "cancelled", "expired"],
      "`sent`: a message is charged. `refused`: no message could be charged. `expired`: it was not sent in time.",
    ),
  },
  sentence: "Not queued any more",
  meaning: "The queued send has ended: it was sent, refused or cancelled, or it was too late.",
  isFinal: true,
  advice: "Read its state.",
}) {}
