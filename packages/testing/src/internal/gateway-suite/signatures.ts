import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { staged } from "./httpStage.ts"
import type { Test } from "./plan.ts"
import {
  type CallbackRequest,
  type Callbacks,
  message,
  type Options,
  type ReceivedRequest,
  requestMade,
} from "./subject.ts"

type Forged = NonNullable<Callbacks["forged"]>[number]

const withHeader = (
  request: CallbackRequest,
  name: string,
  value: string | undefined,
): CallbackRequest => ({ ...request, headers: { ...request.headers, [name]: value } })

/** Increments the last digit from 0 to 8, so that the body stays readable. */
const withOtherBody = (request: CallbackRequest): CallbackRequest => {
  const body = Uint8Array.from(request.body)
  const at = body.findLastIndex((byte) => byte >= 0x30 && byte <= 0x38)
  body[at] = (body[at] ?? 0) + 1
  return { ...request, body }
}

/** Changes the third-to-last character before the padding. The last ones may encode padding bits. */
const withOtherEnd = (signature: string): string => {
  const end = signature.replace(/=+$/, "").length
  const other = signature[end - 3] === "a" ? "b" : "a"
  return signature.slice(0, end - 3) + other + signature.slice(end - 2)
}

const forgeries = ({
  forged = [],
  signatureHeader,
  signsAddress,
}: Callbacks): ReadonlyArray<Forged> => {
  const signed = (request: CallbackRequest): string => request.headers[signatureHeader] ?? ""
  const elsewhere = (change: (url: URL) => void) => (request: CallbackRequest) => {
    const url = new URL(request.url)
    change(url)
    return { ...request, url }
  }
  return [
    { title: "without a signature", forge: (_) => withHeader(_, signatureHeader, undefined) },
    { title: "with an empty signature", forge: (_) => withHeader(_, signatureHeader, "") },
    {
      title: "with garbage for a signature",
      forge: (_) => withHeader(_, signatureHeader, "=\u00ff="),
    },
    {
      title: "with half a signature",
      forge: (_) => withHeader(_, signatureHeader, signed(_).slice(0, signed(_).length / 2)),
    },
    {
      title: "whose signature differs in one character",
      forge: (_) => withHeader(_, signatureHeader, withOtherEnd(signed(_))),
    },
    { title: "whose body differs in one bit", forge: withOtherBody },
    { title: "whose body is empty", forge: (_) => ({ ..._, body: new Uint8Array() }) },
    ...(signsAddress
      ? [
          {
            title: "that was made to another path",
            forge: elsewhere((url) => {
              url.pathname += "/x"
            }),
          },
          {
            title: "that was made to another host",
            forge: elsewhere((url) => {
              url.hostname = "elsewhere.example"
            }),
          },
          {
            title: "whose query has grown",
            forge: elsewhere((url) => {
              url.searchParams.append("x", "1")
            }),
          },
          {
            title: "whose query is about another message",
            forge: elsewhere((url) => {
              url.search = url.search.replace(".1", ".2")
            }),
          },
        ]
      : []),
    ...forged,
  ]
}

/** Tests which requests an adapter accepts. */
export const signaturesSection = (test: Test, options: Options): void => {
  const { accepted, callbacks } = options
  if (callbacks === undefined) return

  /** An adapter, and a report that it has to accept. */
  const reported = Effect.gen(function* () {
    const { adapter, vendor } = yield* staged(options, { _tag: "Answer", ...accepted.answer })
    yield* adapter.gateway.send(message({ ...options.message, ...accepted.message }))
    const received: ReceivedRequest = yield* vendor.nextRequest
    const gatewayId = accepted.expected.gatewayId ?? ""
    const about = { status: "delivered", gatewayId, received, sequence: 0 } as const
    const request = yield* requestMade(callbacks.report(about))
    return { request, callback: adapter.callback ?? (() => Effect.die(new Error("No callback"))) }
  })

  test("accepts a report that the vendor has signed", () =>
    Effect.gen(function* () {
      const { callback, request } = yield* reported
      const outcome = yield* callback(request)
      assert.strictEqual(outcome._tag, "Reports")
      const [report] = outcome._tag === "Reports" ? outcome.reports : []
      assert.strictEqual(report?.status, "delivered")
    }))

  for (const { forge, title } of forgeries(callbacks)) {
    test(`refuses a report ${title}`, (tell) =>
      Effect.gen(function* () {
        const { callback, request } = yield* reported
        const outcome = yield* callback(yield* requestMade(forge(request)))
        tell(outcome)
        assert.strictEqual(outcome._tag, "Refused")
      }))
  }
}
