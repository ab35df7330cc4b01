import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { reporting } from "./httpStage.ts"
import type { Test } from "./plan.ts"
import {
  type CallbackRequest,
  type Callbacks,
  message,
  type Options,
  requestMade,
} from "./subject.ts"

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

/** Changes of a request that break its signature, by title. */
const forgeries = ({ forged = [], signatureHeader, signsAddress }: Callbacks) => {
  const signed = (change: (signature: string) => string | undefined) => (_: CallbackRequest) => ({
    ..._,
    headers: { ..._.headers, [signatureHeader]: change(_.headers[signatureHeader] ?? "") },
  })
  const elsewhere = (change: (url: URL) => unknown) => (_: CallbackRequest) => {
    const url = new URL(_.url)
    change(url)
    return { ..._, url }
  }
  const common = {
    "without a signature": signed(() => undefined),
    "with an empty signature": signed(() => ""),
    "with garbage for a signature": signed(() => "=\u00ff="),
    "with half a signature": signed((signature) => signature.slice(0, signature.length / 2)),
    "whose signature differs in one character": signed(withOtherEnd),
    "whose body differs in one bit": withOtherBody,
    "whose body is empty": (_: CallbackRequest) => ({ ..._, body: new Uint8Array() }),
  }
  const ofAddress = {
    "that was made to another path": elsewhere((url) => (url.pathname += "/x")),
    "that was made to another host": elsewhere((url) => (url.hostname = "elsewhere.example")),
    "whose query has grown": elsewhere((url) => url.searchParams.append("x", "1")),
    "whose query is about another message": elsewhere(
      (url) => (url.search = url.search.replace(".1", ".2")),
    ),
  }
  const changes = { ...common, ...(signsAddress ? ofAddress : undefined) }
  return [...Object.entries(changes).map(([title, forge]) => ({ title, forge })), ...forged]
}

/** Tests which requests an adapter accepts. */
export const signaturesSection = (test: Test, options: Options, callbacks: Callbacks): void => {
  /** An adapter's reader, and a report that it has to accept. */
  const reported = Effect.gen(function* () {
    const { delivered, gateway, read } = yield* reporting(options, callbacks)
    yield* gateway.send(message({ ...options.message, ...options.accepted.message }))
    return { request: yield* delivered(), callback: read }
  })

  test("accepts a report that the vendor has signed", function* () {
    const { callback, request } = yield* reported
    const outcome = yield* callback(request)
    assert.strictEqual(outcome._tag, "Reports")
    const [report] = outcome._tag === "Reports" ? outcome.reports : []
    assert.strictEqual(report?.status, "delivered")
  })

  for (const { forge, title } of forgeries(callbacks)) {
    test(`refuses a report ${title}`, function* (tell) {
      const { callback, request } = yield* reported
      const outcome = yield* callback(yield* requestMade(forge(request)))
      tell(outcome)
      assert.strictEqual(outcome._tag, "Refused")
    })
  }
}
