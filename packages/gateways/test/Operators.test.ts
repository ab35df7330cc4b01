import * as GatewaySuite from "@countersign/testing/GatewaySuite"
import * as PhoneNumber from "@countersign/core/domain/values/PhoneNumber"
import { assert, describe } from "@effect/vitest"
import * as Redacted from "effect/Redacted"
import { test } from "../../../test/support/gatewayTest.ts"
import * as Banglalink from "../src/Banglalink.ts"
import * as Grameenphone from "../src/Grameenphone.ts"
import type { HttpDescription, HttpWhen } from "../src/HttpDescription.ts"
import * as MimSms from "../src/MimSms.ts"
import * as Robi from "../src/Robi.ts"
import { accepted, json, refused, row, unknown, words } from "./fixtures/answers.ts"
import { banglalink, gp, mimFailure, mimSuccess, robi } from "./fixtures/operators.ts"
import { formOf, jsonOf, sent } from "./support/vendor.ts"

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
) => ({ title, answer: mimFailure(code, text), expected: refused(reason) })

GatewaySuite.suite("MimSMS", {
  make: mim,
  secrets: [secret],
  refusal: (text) => mimFailure("216", text),
  accepted: row("a message with an id", mimSuccess, accepted("1OSY3FSZ7H4IHOU")),
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
    row("a sending that failed somewhere", mimFailure("221", "SMS sending failed"), unknown),
    row("an error of its server", mimFailure("500", "Internal server error"), unknown),
    ...[
      "Gateway timeout: sender queue",
      "No route, check your balance",
      "Time out while checking the API key",
    ].map((text) =>
      row(`"${text}", which does not say that nothing was sent,`, mimFailure("", text), unknown),
    ),
    ...["401", "208", undefined].map((statusCode) =>
      row(
        `a success with ${statusCode === undefined ? "no code" : `the code ${statusCode}`}`,
        json({ statusCode, status: "Success", trxnId: "1OSY3FSZ7H4IHOU" }),
        unknown,
      ),
    ),
    row(
      "a success whose code is a number",
      json({ statusCode: 200, status: "Success", trxnId: "1OSY3FSZ7H4IHOU" }),
      accepted("1OSY3FSZ7H4IHOU"),
    ),
    row("another status", json({ status: "Queued" }), unknown),
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
  accepted: row("status code 200", gp("200", "SUCCESS"), accepted(GatewaySuite.message().token)),
  undocumented: ["recipient", "content", "sender", "throttled"],
  answers: [
    row("the code of the contract", gp("1010", "refused"), refused("account")),
    row("any other code", gp("1005", "refused"), unknown),
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
  accepted: row("an error code of 0", robi(), {
    _tag: "Accepted",
    gatewayId: "123456789",
    segments: 1,
  }),
  undocumented: ["recipient", "content", "sender", "throttled"],
  answers: [
    row(
      "the error code of the contract",
      robi({ MessageId: "0", Status: "-1", ErrorCode: "1500" }),
      refused("account"),
    ),
    row("another error code", robi({ ErrorCode: "-5", ErrorText: "refused" }), unknown),
    row("no error code and a failed status", robi({ Status: "-1" }), unknown),
    row("no message", robi({ MessageId: "0" }), unknown),
  ],
})

GatewaySuite.suite("Banglalink", {
  make: (baseUrl) =>
    Banglalink.make({ userId: "user", password, ...to(Banglalink.description, baseUrl) }),
  secrets: [secret],
  refusal: (text) => banglalink(`Sorry you send wrong password ${text}`),
  accepted: row(
    "one success",
    banglalink("Success Count : 1 and Fail Count : 0"),
    accepted(GatewaySuite.message().token),
  ),
  undocumented: ["recipient", "content", "sender", "throttled"],
  answers: [
    row("one failure", banglalink("Success Count : 0 and Fail Count : 1"), unknown),
    row("a wrong password", banglalink("Sorry you send wrong password"), refused("account")),
    row("a success and a failure", banglalink("Success Count : 1 and Fail Count : 1"), unknown),
    row("words of its own", words("Accepted"), unknown),
  ],
})

describe("the operators", () => {
  const bangla = Redacted.make("আপনার কোড ৭৩৯১৮৪")
  const number = GatewaySuite.message().phoneNumber
  const account = { username: "user", userId: "user", password }

  test("mean what the host's contract says if it adds a row", function* () {
    const none = "Success Count : 0 and Fail Count : 1"
    const { outcome } = yield* sent((baseUrl) => {
      const { description } = withRefusal(Banglalink.description, baseUrl, { matches: none })
      return Banglalink.make({ ...account, description })
    }, banglalink(none))
    assert.deepInclude(outcome, refused("account"))
  })

  test.each([
    ["216", "The balance does not suffice"],
    ["221", "The vendor could not send the message"],
    ["299", undefined],
  ] as const)("have their code %s explained: MimSMS", function* ([code, expected]) {
    const { meaning, outcome } = yield* sent(mim, mimFailure(code, "refused"))
    assert.deepInclude(outcome, { vendorCode: code })
    assert.strictEqual(meaning, expected)
  })

  test("get JSON: MimSMS", function* () {
    const { request } = yield* sent(mim, mimSuccess, { sender: "ACME" })
    assert.deepStrictEqual(jsonOf(request), {
      UserName: "me@example.com",
      Apikey: secret,
      MobileNumber: number.slice(1),
      CampaignId: "null",
      SenderName: "ACME",
      TransactionType: "T",
      Message: GatewaySuite.text,
    })
  })

  test("get the class of a message in the vendor's letters: MimSMS", function* () {
    const letter = (request: Parameters<typeof jsonOf>[0]): unknown =>
      Reflect.get(Object(jsonOf(request)), "TransactionType")
    const promotional = { class: "promotional" } as const
    assert.strictEqual(letter((yield* sent(mim, mimSuccess, promotional)).request), "P")
    const bulk = (baseUrl: string) =>
      MimSms.make({
        userName: "me@example.com",
        apiKey: password,
        transactionType: "D",
        ...to(MimSms.description, baseUrl),
      })
    for (const message of [promotional, {}]) {
      assert.strictEqual(letter((yield* sent(bulk, mimSuccess, message)).request), "D")
    }
  })

  const toGrameenphone = (message: Parameters<typeof GatewaySuite.message>[0]) =>
    sent(
      (baseUrl) =>
        Grameenphone.make({ ...account, sender: "ACME", ...to(Grameenphone.description, baseUrl) }),
      gp("200", "SUCCESS"),
      message,
    )

  test("get a number in national form, and the encoding of the text: Grameenphone", function* () {
    const latin = yield* toGrameenphone({})
    assert.deepStrictEqual(jsonOf(latin.request), {
      username: "user",
      password: secret,
      apicode: "1",
      msisdn: `0${number.slice(4)}`,
      countrycode: "880",
      cli: "ACME",
      messagetype: "1",
      message: GatewaySuite.text,
      messageid: "0",
    })
    const unicode = yield* toGrameenphone({ text: bangla })
    assert.deepInclude(jsonOf(unicode.request), {
      messagetype: "3",
      message: Redacted.value(bangla),
    })
  })

  test("leave numbers of other countries to other gateways", function* () {
    const phoneNumber = PhoneNumber.fromE164("+14155552671")
    const { outcome, request } = yield* toGrameenphone({ phoneNumber })
    assert.deepInclude(outcome, refused("sender"))
    assert.isUndefined(request)
  })

  test.each([
    [
      "Robi",
      (baseUrl: string) => Robi.make({ ...account, ...to(Robi.description, baseUrl) }),
      ["Username", "Password", "From", "To", "Message"],
    ],
    [
      "Banglalink",
      (baseUrl: string) => Banglalink.make({ ...account, ...to(Banglalink.description, baseUrl) }),
      ["userID", "passwd", "sender", "msisdn", "message"],
    ],
  ] as const)("get a form: %s", function* ([, make, names]) {
    const { request } = yield* sent(make, robi(), { text: bangla })
    const values = ["user", secret, "8809600000000", number.slice(1), Redacted.value(bangla)]
    assert.deepStrictEqual(
      Object.entries(formOf(request)),
      names.map((name, index) => [name, values[index] ?? ""]),
    )
  })
})
