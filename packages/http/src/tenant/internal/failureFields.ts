/** The fields in the bodies of error responses. */
import * as Schema from "effect/Schema"
import { id, keywords } from "../../mount/internal/keywords.ts"

const error = Schema.String.annotate({ description: "A message for people." })

export class Failure extends Schema.Error<Failure>("Failure")({ error }) {
  override get message(): string {
    return this.error
  }
}

/** A failure about a request, whose state the body names. */
export class FailedCheck extends Schema.Error<FailedCheck>("FailedCheck")({
  success: Schema.Literal(false),
  error,
}) {
  override get message(): string {
    return this.error
  }
}

const amount = (description: string, example: number) =>
  Schema.Finite.annotate({ description, examples: [example] })

/** The members of bodies, by the name of the parameter in the row of the error. */
export const fields = {
  details: {
    details: Schema.Record(Schema.String, Schema.Array(Schema.String)).annotate({
      description:
        "The problems of each invalid field, by its name. Empty if the body is not a JSON object.",
      examples: [{ phone_number: ["must be in E.164 format with a leading plus"] }],
    }),
  },
  required: { required: amount("The price, in the account's currency.", 0.5) },
  available: { available: amount("The amount that is available.", 0.25) },
  retryAfterSeconds: {
    retry_after: Schema.Int.annotate({
      description: "Seconds to wait before the next try. Same value as the header `Retry-After`.",
      examples: [12],
    }).check(keywords({ minimum: 1 })),
  },
  status: {
    status: Schema.Literals(["failed", "unknown"]).annotate({
      description:
        "`failed`: the message was not sent and costs nothing. `unknown`: the message may still arrive, and the log shows its status.",
    }),
  },
  requestId: { request_id: id("`request_id` of the request.") },
  attemptsRemaining: {
    attempts_remaining: Schema.Int.annotate({
      description: "Number of wrong codes that are still allowed.",
      examples: [2],
    }).check(keywords({ minimum: 1 })),
  },
} as const
