import type { GatewayMessage } from "@countersign/core/ports/Gateway"
import * as PhoneNumber from "@countersign/core/domain/values/PhoneNumber"
import { assert } from "@effect/vitest"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import * as Tracer from "effect/Tracer"
import { inspect } from "node:util"

const shown = (value: unknown): string =>
  inspect(value, { depth: 12, maxArrayLength: null, maxStringLength: null, breakLength: Infinity })

/** Records everything that parties other than the vendor can see. */
export interface Watch {
  /** Adds a value that a caller received. */
  readonly tell: (value: unknown) => void
  readonly layer: Layer.Layer<never>
  /** Returns everything recorded so far. */
  readonly seen: () => string
}

export const watch = (): Watch => {
  const records: Array<string> = []
  const spans: Array<Tracer.NativeSpan> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    },
  })
  const logger = Logger.make((options) => {
    records.push(Logger.formatJson.log(options))
  })
  return {
    tell: (value) => records.push(shown(value)),
    layer: Layer.mergeAll(
      Logger.layer([logger]),
      Layer.succeed(References.MinimumLogLevel, "All"),
      Layer.succeed(Tracer.Tracer, tracer),
    ),
    seen: () =>
      [
        ...records,
        ...spans.map(({ attributes, events, name, status }) =>
          shown({
            name,
            attributes: [...attributes],
            events,
            // A method's return value is not part of the trace.
            failure:
              status._tag === "Ended" && Exit.isFailure(status.exit)
                ? status.exit.cause
                : undefined,
          }),
        ),
      ].join("\n"),
  }
}

/** The spellings of a message's secrets. */
export const secretsOf = (message: GatewayMessage): ReadonlyArray<string> => {
  const digits = PhoneNumber.digits(message.phoneNumber)
  return [
    Redacted.value(message.text),
    ...(message.code === undefined ? [] : [Redacted.value(message.code)]),
    digits,
    // The national form.
    digits.slice(-10),
  ]
}

/** Fails if a secret is found. The error does not repeat the surrounding text. */
export const assertSecret = (seen: string, secrets: ReadonlyArray<string>): void => {
  const found = secrets.filter((secret) =>
    // Plain, URL-encoded, and with escaped line ends.
    [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)].some((written) =>
      seen.includes(written),
    ),
  )
  assert.deepStrictEqual(found, [], "a secret was reported, logged or traced")
}
