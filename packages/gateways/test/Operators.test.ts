import * as GatewaySuite from "@countersign/testing/GatewaySuite"
import * as PhoneNumber from "@countersign/core/domain/values/PhoneNumber"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Redacted from "effect/Redacted"
import * as Banglalink from "../src/Banglalink.ts"
import * as Grameenphone from "../src/Grameenphone.ts"
import type { HttpDescription, HttpWhen } from "../src/HttpDescription.ts"
import * as MimSms from "../src/MimSms.ts"
import * as Robi from "../src/Robi.ts"
import { json, refused, unknown, words } from "./fixtures/answers.ts"
import { banglalink, gp, mimFailure, mimSuccess, robi } from "./fixtures/operators.ts"
import { startVendor } from "./support/vendor.ts"

const secret = "p4ssword & <more>"
const password = Redacted.make(secret)

/** The preset's request, sent to the vendor on loopback. */
const to = (preset: HttpDescription, baseUrl: string) => ({
  description: {
    request: { ...preset.request, url: `${baseUrl}${new URL(preset.request.url).pathname}` },
  },
})

const mim = (baseUrl: string) =>
  MimSms.make({ userName: "me@example.com", apiKey: password, ...to(MimSms.description, baseUrl) })

const mimRow = (
  title: string,
  code: string,
  text: string,
  reason: Parameters<typeof refused>[0],
) => ({
  title,
  answer: mimFailure(code, text),
  expected: refused(reason),
})

GatewaySuite.suite("MimSMS", {
  make: mim,
  secrets: [secret],
  refusal: (text) => mimFailure("216", text),
  accepted: {
    title: "a message with an id",
    answer: mimSuccess,
    expected: { _tag: "Accepted", gatewayId: "1OSY3FSZ7H4IHOU" },
  },
  undocumented: ["throttled"],
  answers: [
    mimRow("a wrong password or address", "401", "Unauthorized", "account"),
    mimRow("content that it does not like", "205", "Invalid message content", "content"),
    mimRow("a number that cannot be", "206", "Invalid mobile number", "recipient"),
    mimRow("a transaction type that cannot be", "207", "Invalid TransactionType", "account"),
    mimRow("a sender that is not the account's", "208", "Invalid sender id", "sender"),
    mimRow("a text that is too long", "209", "SMS length exceeds", "content"),
    mimRow("an invalid campaign", "210", "Invalid CampaignId", "account"),
    mimRow("a parameter that is missing", "213", "Parameter mismatch", "account"),
    mimRow("an empty balance", "216", "Insufficient balance", "account"),
    mimRow("words about the balance alone", "", "Insufficient balance", "account"),
    mimRow("words about a number alone", "", "Invalid mobile number", "recipient"),
    mimRow("words about a sender alone", "", "Invalid sender", "sender"),
    mimRow("words about the content alone", "", "Message too long", "content"),
    {
      title: "a sending that failed somewhere",
      answer: mimFailure("221", "SMS sending failed"),
      expected: unknown,
    },
    {
      title: "an error of its server",
      answer: mimFailure("500", "Internal server error"),
      expected: unknown,
    },
    ...[
      "Gateway timeout: sender queue",
      "No route, check your balance",
      "Time out while checking the API key",
    ].map((text) => ({
      title: `"${text}", which does not say that nothing was sent,`,
      answer: mimFailure("", text),
      expected: unknown,
    })),
    ...["401", "208", undefined].map((statusCode) => ({
      title: `a success with ${statusCode === undefined ? "no code" : `the code ${statusCode}`}`,
      answer: json({ statusCode, status: "Success", trxnId: "1OSY3FSZ7H4IHOU" }),
      expected: unknown,
    })),
    {
      title: "a success whose code is a number",
      answer: json({ statusCode: 200, status: "Success", trxnId: "1OSY3FSZ7H4IHOU" }),
      expected: { _tag: "Accepted", gatewayId: "1OSY3FSZ7H4IHOU" } as const,
    },
    { title: "another status", answer: json({ status: "Queued" }), expected: unknown },
  ],
})

/** Refusals belong to a contract: this is how a host adds them. */
const withRefusal = (
  preset: HttpDescription,
  baseUrl: string,
  when: HttpWhen,
): { readonly description: Partial<HttpDescription> } => ({
  description: {
    ...to(preset, baseUrl).description,
    outcomes: [...preset.outcomes, { when, means: "account" }],
  },
})

GatewaySuite.suite("Grameenphone", {
  make: (baseUrl) =>
    Grameenphone.make({
      username: "user",
      password,
      ...withRefusal(Grameenphone.description, baseUrl, { path: "statusCode", equals: 1010 }),
    }),
  secrets: [secret],
  refusal: (text) => gp("1010", text),
  accepted: {
    title: "status code 200",
    answer: gp("200", "SUCCESS"),
    expected: { _tag: "Accepted", gatewayId: GatewaySuite.message().token },
  },
  undocumented: ["recipient", "content", "sender", "throttled"],
  answers: [
    {
      title: "the code of the contract",
      answer: gp("1010", "refused"),
      expected: refused("account"),
    },
    { title: "any other code", answer: gp("1005", "refused"), expected: unknown },
  ],
})

GatewaySuite.suite("Robi", {
  make: (baseUrl) =>
    Robi.make({
      username: "user",
      password,
      ...withRefusal(Robi.description, baseUrl, { matches: "<ErrorCode>1500</ErrorCode>" }),
    }),
  secrets: [secret],
  refusal: (ErrorText) => robi({ MessageId: "0", Status: "-1", ErrorCode: "1500", ErrorText }),
  accepted: {
    title: "an error code of 0",
    answer: robi(),
    expected: { _tag: "Accepted", gatewayId: "123456789", segments: 1 },
  },
  undocumented: ["recipient", "content", "sender", "throttled"],
  answers: [
    {
      title: "the error code of the contract",
      answer: robi({ MessageId: "0", Status: "-1", ErrorCode: "1500" }),
      expected: refused("account"),
    },
    {
      title: "another error code",
      answer: robi({ ErrorCode: "-5", ErrorText: "refused" }),
      expected: unknown,
    },
    {
      title: "no error code and a failed status",
      answer: robi({ Status: "-1" }),
      expected: unknown,
    },
    { title: "no message", answer: robi({ MessageId: "0" }), expected: unknown },
  ],
})

GatewaySuite.suite("Banglalink", {
  make: (baseUrl) =>
    Banglalink.make({ userId: "user", password, ...to(Banglalink.description, baseUrl) }),
  secrets: [secret],
  refusal: (text) => banglalink(`Sorry you send wrong password ${text}`),
  accepted: {
    title: "one success",
    answer: banglalink("Success Count : 1 and Fail Count : 0"),
    expected: { _tag: "Accepted", gatewayId: GatewaySuite.message().token },
  },
  undocumented: ["recipient", "content", "sender", "throttled"],
  answers: [
    {
      title: "one failure",
      answer: banglalink("Success Count : 0 and Fail Count : 1"),
      expected: unknown,
    },
    {
      title: "a wrong password",
      answer: banglalink("Sorry you send wrong password"),
      expected: refused("account"),
    },
    {
      title: "a success and a failure",
      answer: banglalink("Success Count : 1 and Fail Count : 1"),
      expected: unknown,
    },
    { title: "words of its own", answer: words("Accepted"), expected: unknown },
  ],
})

describe("the operators' answers", () => {
  it.effect("mean what the host's contract says if it adds a row", () =>
    Effect.gen(function* () {
      const none = "Success Count : 0 and Fail Count : 1"
      const vendor = yield* startVendor(() => banglalink(none))
      const { request } = to(Banglalink.description, vendor.baseUrl).description
      const { gateway } = yield* Banglalink.make({
        userId: "user",
        password,
        description: {
          request,
          outcomes: [
            ...Banglalink.description.outcomes,
            { when: { matches: none }, means: "notSent" },
          ],
        },
      })
      const outcome = yield* gateway.send(GatewaySuite.message())
      assert.strictEqual(outcome._tag, "NotSent")
    }).pipe(Effect.provide(FetchHttpClient.layer)),
  )
})

describe("the operators' requests", () => {
  const bangla = Redacted.make("আপনার কোড ৭৩৯১৮৪")

  it.effect("carry JSON to MimSMS", () =>
    Effect.gen(function* () {
      const vendor = yield* startVendor(() => mimSuccess)
      const { gateway } = yield* mim(vendor.baseUrl)
      yield* gateway.send(GatewaySuite.message({ sender: "ACME" }))
      assert.deepStrictEqual(JSON.parse(vendor.requests[0]?.body ?? ""), {
        UserName: "me@example.com",
        Apikey: secret,
        MobileNumber: GatewaySuite.message().phoneNumber.slice(1),
        CampaignId: "null",
        SenderName: "ACME",
        TransactionType: "T",
        Message: GatewaySuite.text,
      })
    }).pipe(Effect.provide(FetchHttpClient.layer)),
  )

  it.effect("carry a number in national form, and the encoding of the text, to Grameenphone", () =>
    Effect.gen(function* () {
      const vendor = yield* startVendor(() => gp("200", "SUCCESS"))
      const { gateway } = yield* Grameenphone.make({
        username: "user",
        password,
        sender: "ACME",
        ...to(Grameenphone.description, vendor.baseUrl),
      })
      yield* gateway.send(GatewaySuite.message())
      yield* gateway.send(GatewaySuite.message({ text: bangla }))
      const [latin, unicode] = vendor.requests.map(({ body }) => JSON.parse(body))
      assert.deepStrictEqual(latin, {
        username: "user",
        password: secret,
        apicode: "1",
        msisdn: `0${GatewaySuite.message().phoneNumber.slice(4)}`,
        countrycode: "880",
        cli: "ACME",
        messagetype: "1",
        message: GatewaySuite.text,
        messageid: "0",
      })
      assert.deepInclude(unicode, { messagetype: "3", message: Redacted.value(bangla) })
    }).pipe(Effect.provide(FetchHttpClient.layer)),
  )

  it.effect("leave numbers of other countries to other gateways", () =>
    Effect.gen(function* () {
      const vendor = yield* startVendor(() => gp("200", "SUCCESS"))
      const { gateway } = yield* Grameenphone.make({
        username: "user",
        password,
        ...to(Grameenphone.description, vendor.baseUrl),
      })
      const outcome = yield* gateway.send(
        GatewaySuite.message({ phoneNumber: PhoneNumber.fromE164("+14155552671") }),
      )
      assert.deepInclude(outcome, { _tag: "Rejected", reason: "sender" })
      assert.strictEqual(vendor.requests.length, 0)
    }).pipe(Effect.provide(FetchHttpClient.layer)),
  )

  const forms = [
    {
      title: "Robi",
      answer: robi(),
      names: ["Username", "Password", "From", "To", "Message"],
      make: (baseUrl: string) =>
        Robi.make({ username: "user", password, ...to(Robi.description, baseUrl) }),
    },
    {
      title: "Banglalink",
      answer: banglalink("Success Count : 1 and Fail Count : 0"),
      names: ["userID", "passwd", "sender", "msisdn", "message"],
      make: (baseUrl: string) =>
        Banglalink.make({ userId: "user", password, ...to(Banglalink.description, baseUrl) }),
    },
  ] as const
  for (const { answer, make, names, title } of forms) {
    it.effect(`carry a form to ${title}`, () =>
      Effect.gen(function* () {
        const vendor = yield* startVendor(() => answer)
        const { gateway } = yield* make(vendor.baseUrl)
        yield* gateway.send(GatewaySuite.message({ text: bangla }))
        const form = new URLSearchParams(vendor.requests[0]?.body)
        assert.deepStrictEqual(
          names.map((name) => form.get(name)),
          [
            "user",
            secret,
            "8809600000000",
            GatewaySuite.message().phoneNumber.slice(1),
            Redacted.value(bangla),
          ],
        )
      }).pipe(Effect.provide(FetchHttpClient.layer)),
    )
  }
})
