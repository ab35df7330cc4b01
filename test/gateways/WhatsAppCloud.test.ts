/**
 * GitHub signs its webhooks as Meta does: its validator is the judge of ours.
 */
import * as WhatsAppCloud from "@countersign/gateways/WhatsAppCloud"
import { assert, describe, it } from "@effect/vitest"
import { sign, verify } from "@octokit/webhooks-methods"
import * as Redacted from "effect/Redacted"
import * as fc from "fast-check"
import { believes } from "./believes.ts"

const adapterOf = (secret: string) =>
  WhatsAppCloud.make({
    accessToken: Redacted.make("token"),
    appSecret: Redacted.make(secret),
    phoneNumberId: "77",
    template: { name: "otp_code" },
  })

const url = new URL("https://sms.example.com/callbacks/whatsapp-cloud")

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
        const headers = { "x-hub-signature-256": signature }
        assert.strictEqual(await believes(adapterOf(secret), url, headers, body), expected)
      }),
      { numRuns: 300 },
    )
    assert.isAbove(seen.true, 20)
    assert.isAbove(seen.false, 20)
  })
})
