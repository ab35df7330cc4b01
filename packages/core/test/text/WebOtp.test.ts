import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import { OrganizationId } from "../../src/domain/values/Ids.ts"
import { Messages } from "../../src/services/Messages.ts"
import { SimulatedGateway } from "../../src/adapters/SimulatedGateway.ts"
import * as Templates from "../../src/text/Templates.ts"
import * as WebOtp from "../../src/text/WebOtp.ts"
import { untyped } from "../support/untyped.ts"
import { send } from "../support/verifying.ts"

const english = "012345 is your verification code. Do not share it with anyone."
const hash = "abcdEFGH1+/"

const render = (lines: WebOtp.Lines, channel: "sms" | "whatsapp" = "sms") =>
  WebOtp.withLines(
    Templates.standard.render,
    lines,
  )({
    organization: OrganizationId("acme"),
    locale: "en-us",
    channel,
    code: "012345",
    expirySeconds: 300,
    senderName: undefined,
  })

describe("WebOtp.withLines", () => {
  it.each<readonly [WebOtp.Lines, string]>([
    [{}, english],
    [{ domain: "example.com" }, `${english}\n@example.com #012345`],
    [{ androidHash: hash }, `${english}\n${hash}`],
    [{ domain: "example.com", androidHash: hash }, `${english}\n${hash}\n@example.com #012345`],
  ])("ends a text as %j requires", (lines, text) => {
    assert.strictEqual(render(lines), text)
  })

  it.each([undefined, "", 5, "a\u0000"])("adds nothing to %j, which cannot be sent", (text) => {
    const lined = WebOtp.withLines(() => untyped(text), { domain: "example.com" })
    const input = { organization: OrganizationId("acme"), locale: "en-us", channel: "sms" } as const
    const written = lined({ ...input, code: "012345", expirySeconds: 300, senderName: undefined })
    assert.strictEqual<unknown>(written, text)
  })

  it("adds nothing on WhatsApp", () => {
    assert.strictEqual(render({ domain: "example.com", androidHash: hash }, "whatsapp"), english)
  })

  it.each(["example.com", "login.example.co.uk", "xn--p1ai.xn--p1ai", "4u.example", "a.bd"])(
    "accepts the domain %s",
    (domain) => {
      assert.isTrue(render({ domain }).endsWith(`\n@${domain} #012345`))
    },
  )

  it.each([
    "",
    "localhost",
    "Example.com",
    "https://example.com",
    "example.com:443",
    "example.com/login",
    "example.com.",
    ".example.com",
    "exa mple.com",
    "example.com\n",
    "-a.example",
    "a-.example",
    "192.0.2.1",
    "উদাহরণ.বাংলা",
    `${"a".repeat(64)}.com`,
    `${"a.".repeat(126)}com`,
  ])("rejects the domain %j", (domain) => {
    assert.throws(() => WebOtp.withLines(Templates.standard.render, { domain }), TypeError)
  })

  it.each(["", "short", "twelve-bytes", "abcdEFGH1+=", `${hash}\n`])(
    "rejects the hash %j",
    (androidHash) => {
      assert.throws(() => WebOtp.withLines(Templates.standard.render, { androidHash }), TypeError)
    },
  )

  it.effect("passes the lines to the gateway, and logs them with the code masked", () =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      yield* send(organization)
      const gateway = yield* SimulatedGateway
      const [entry] = yield* gateway.journal()
      assert.match(entry?.text ?? "", /^(\d{6}) is .+\.\n@example\.com #\1$/)
      const { messages } = yield* Messages.use((_) => _.list({ organization }))
      assert.match(messages[0]?.text ?? "", /^•••••• is .+\.\n@example\.com #••••••$/)
    }).pipe(
      Effect.provide(TestEngine.layer()),
      Effect.provideService(Templates.Templates, {
        ...Templates.standard,
        render: WebOtp.withLines(Templates.standard.render, { domain: "example.com" }),
      }),
    ),
  )
})

const app: WebOtp.AndroidApp = {
  packageName: "com.example.app",
  certificateHex: "3082".padEnd(1_200, "0a"),
}

const sha256 = (bytes: Uint8Array | string): Uint8Array =>
  createHash("sha256").update(bytes).digest()

describe("WebOtp.androidHash", () => {
  it("equals `sha256sum | xxd -r -p | base64 | cut -c1-11` of package and certificate", () => {
    const piped = createHash("sha256")
      .update(`com.example.app ${app.certificateHex}`)
      .digest("base64")
      .slice(0, 11)
    assert.strictEqual(WebOtp.androidHash(sha256(WebOtp.androidHashInput(app))), piped)
    assert.match(piped, WebOtp.hashPattern)
  })

  it("uses the first 66 bits of a digest", () => {
    const digest = Uint8Array.from({ length: 32 }, (_, index) => index)
    assert.strictEqual(WebOtp.androidHash(digest), "AAECAwQFBgc")
    assert.strictEqual(WebOtp.androidHash(new Uint8Array(32).fill(0xff)), "//" + "/".repeat(9))
  })

  it.each<readonly [what: string, Partial<WebOtp.AndroidApp>]>([
    ["a fingerprint (SHA-1)", { certificateHex: "ab".repeat(20) }],
    ["a fingerprint (SHA-256)", { certificateHex: "ab".repeat(32) }],
    ["a fingerprint with colons", { certificateHex: "AB:".repeat(100) }],
    ["half a byte", { certificateHex: "a".repeat(1_201) }],
    ["no certificate", { certificateHex: "" }],
    ["no package", { packageName: "" }],
    ["a package of one word", { packageName: "app" }],
    ["a package with a blank", { packageName: "com.example app" }],
  ])("rejects %s", (_what, wrong) => {
    assert.throws(() => WebOtp.androidHashInput({ ...app, ...wrong }), TypeError)
  })

  it.each([0, 20, 31, 33, 64])("rejects a digest of %i bytes", (length) => {
    assert.throws(() => WebOtp.androidHash(new Uint8Array(length)), TypeError)
  })
})
