/** Values for fields of requests, right and wrong ones. */
import * as Redacted from "effect/Redacted"
import * as fc from "fast-check"

export const anyValue = fc.oneof(
  fc.constantFrom(
    undefined,
    "sms",
    "whatsapp",
    "login",
    "",
    "5 minutes",
    "5 minute",
    "1.5 hours",
    "x hours",
  ),
  fc.string(),
  fc.double(),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.array(fc.string(), { maxLength: 2 }),
  fc.record({ amount: fc.string(), payee: fc.oneof(fc.string(), fc.integer()) }),
)

/** Of other values, the engine refuses the text. */
export const anyObject = fc.option(fc.dictionary(fc.string(), fc.jsonValue()), { nil: undefined })

export const shown = (value: unknown): unknown =>
  Redacted.isRedacted(value) ? { redacted: Redacted.value(value) } : value
