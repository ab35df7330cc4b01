/**
 * GitHub signs its webhooks as Meta does: its validator is the judge of ours.
 */
import * as WhatsAppCloud from "@countersign/gateways/WhatsAppCloud"
import * as GatewaySuite from "@countersign/testing/GatewaySuite"
import { assert, describe, it } from "@effect/vitest"
import { sign, verify } from "@octokit/webhooks-methods"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as fc from "fast-check"

const believes = (secret: string, body: string, signature: string) =>
  Effect.gen(function* () {
    const { callback } = yield* WhatsAppCloud.make({
      accessToken: Redacted.make("token"),
      appSecret: Redacted.make(secret),
      phoneNumberId: "77",
      template: { name: "otp_code" },
    })
    const outcome = yield* (
      callback?.({
        method: "POST",
        url: new URL("https://sms.example.com/callbacks/whatsapp-cloud"),
        headers: { "x-hub-signature-256": signature },
        body: new TextEncoder().encode(body),
      }) ?? Effect.die("no callback")
    )
    return outcome._tag !== "Refused"
  }).pipe(Effect.provide(GatewaySuite.platform))

const text = fc.string({ unit: "grapheme", minLength: 1 })

type Kind = "nothing" | "secret" | "body" | "prefix" | "tag"

describe("A report is accepted", () => {
  it("if, and only if, an independent validator accepts it", async () => {
    const kinds = fc.constantFrom<Kind>("nothing", "secret", "body", "prefix", "tag")
    const seen = { true: 0, false: 0 }
    await fc.assert(
      fc.asyncProperty(text, text, kinds, async (secret, body, kind) => {
        const right = await sign(
          kind === "secret" ? `${secret}.` : secret,
          kind === "body" ? `${body} ` : body,
        )
        const altered: Record<Kind, string> = {
          nothing: right,
          secret: right,
          body: right,
          prefix: right.replace("sha256=", "sha1="),
          tag: right.slice(0, -1) + (right.endsWith("0") ? "1" : "0"),
        }
        const signature = altered[kind]
        const expected = await verify(secret, body, signature)
        seen[`${expected}`] += 1
        assert.strictEqual(await Effect.runPromise(believes(secret, body, signature)), expected)
      }),
      { numRuns: 300 },
    )
    assert.isAbove(seen.true, 20)
    assert.isAbove(seen.false, 20)
  })
})
