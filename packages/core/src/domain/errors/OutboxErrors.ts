/** The errors of sends that wait. `Errors` also exports them. */
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

export class BatchNotFound extends error<BatchNotFound>()("BatchNotFound", {
  code: "batch_not_found",
  status: 404,
  params: {},
  sentence: "Batch not found",
  meaning: "The organization has no batch with this id, or retention has dropped it.",
  isFinal: true,
  advice: "Tell the user that there is no such batch.",
}) {}

export class BatchUnchangeable extends error<BatchUnchangeable>()("BatchUnchangeable", {
  code: "batch_unchangeable",
  status: 409,
  params: {
    state: Param.oneOf(
      ["writing", "running", "paused", "done", "cancelled"],
      "`writing`: its recipients are not all written, so it sends nothing yet.",
    ),
  },
  sentence: "Not in this state of the batch",
  meaning: "The batch is done or cancelled, or its recipients are still being written.",
  advice: "Read the state of the batch.",
}) {}
