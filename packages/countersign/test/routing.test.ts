import { assert, describe, it } from "vitest"
import * as Vendors from "../src/gateways.ts"
import * as Countersign from "../src/index.ts"
import { hosts } from "./support/host.ts"
import { authToken } from "./support/reports.ts"
import { failure, phone, untyped } from "./support/values.ts"
import { nowhere, startTwilio } from "./support/vendor.ts"

const { database, host } = hosts()

const { bulkSmsBd, kannel, smpp, twilio, vonage } = Vendors

const accountSid = "AC00000000000000000000000000000001"
const account = { accountSid, authToken }

const own = (
  name: string,
  outcome: Countersign.GatewayOutcome = { status: "delivered", gatewayId: name },
): Countersign.Gateway & { readonly sent: Array<string> } => {
  const sent: Array<string> = []
  return {
    name,
    sent,
    send: async ({ phoneNumber }) => {
      sent.push(phoneNumber)
      return outcome
    },
  }
}

describe("several gateways", () => {
  it("are selected by routes: prefix, channel and organization", async () => {
    const names = ["banglalink-line", "others", "acme-line", "chat"] as const
    const [local, others, acme, chat] = [own(names[0]), own(names[1]), own(names[2]), own(names[3])]
    const { engine } = await host({
      gateways: [others, local, acme, { ...chat, channels: ["whatsapp"] }],
      routing: {
        routes: [
          { gateway: "acme-line", organizations: ["acme"] },
          { gateway: "banglalink-line", prefixes: ["88019"], channels: ["sms"], priority: 1 },
          { gateway: "chat", priority: 1 },
          { gateway: "others", priority: 2 },
        ],
      },
    })
    await engine.organizations.create({ id: "acme" })
    const tenant = engine.organization("acme")
    await tenant.senders.create({ kind: "non-masking", value: "8809612000101", isDefault: true })
    const via = async (
      to: string,
      channel?: Countersign.Channel,
      { messages }: Countersign.OrganizationServices = engine,
    ) => (await messages.send({ phoneNumber: to, text: "x", channel })).gatewayId
    assert.strictEqual(await via("8801912345678"), "banglalink-line")
    assert.strictEqual(await via("8801712345678"), "others")
    assert.strictEqual(await via("8801912345678", "whatsapp"), "chat")
    assert.strictEqual(await via("8801912345678", "sms", tenant), "acme-line")
  })

  it("may be one for each channel, a vendor and a host's own", async () => {
    const vendor = await startTwilio()
    const whatsapp = own("chat")
    const { engine } = await host({
      gateways: { sms: twilio({ ...account, baseUrl: vendor.origin }), whatsapp },
    })
    const to = phone()
    await engine.messages.send({ phoneNumber: to, text: "x" })
    await engine.messages.send({ phoneNumber: to, text: "x", channel: "whatsapp" })
    assert.lengthOf(vendor.requests, 1)
    assert.deepStrictEqual(whatsapp.sent, [to])
    assert.deepStrictEqual(
      (await engine.gateways.health()).map(({ gateway }) => gateway),
      ["twilio", "chat"],
    )
  })

  it("pause one that has refused the account, and raise an event", async () => {
    const first = own("first", { status: "rejected", reason: "account", message: "no credit" })
    const second = own("second")
    const { engine, lines } = await host({ gateways: [first, second] })
    const heard = Promise.withResolvers<Countersign.GatewayHealth>()
    const end = engine.gateways.subscribe(heard.resolve)
    for (const _ of [1, 2, 3]) await engine.messages.send({ phoneNumber: phone(), text: "x" })
    assert.lengthOf(first.sent, 1)
    assert.lengthOf(second.sent, 3)
    const reason = "no credit"
    assert.deepStrictEqual(await heard.promise, { gateway: "first", state: "barred", reason })
    assert.deepStrictEqual(await engine.gateways.health(), [
      { gateway: "first", state: "barred", reason },
      { gateway: "second", state: "available" },
    ])
    assert.lengthOf(
      lines.filter((line) => line.includes("circuit")),
      1,
    )
    end()
  })

  it("report with the gateway's name, or without one for a single host gateway", async () => {
    const accepted = { status: "accepted", gatewayId: "g1" } as const
    const first = { ...own("first", accepted), reports: true }
    const { engine, settings } = await host({ gateways: [first] })
    await engine.messages.send({ phoneNumber: phone(), text: "x" })
    assert.strictEqual(
      await engine.reports.receive({
        gatewayId: "g1",
        status: "delivered",
        detail: untyped(null),
      }),
      "applied",
    )
    await engine.dispose()
    const two = await host({ ...settings, gateways: [own("first"), own("second")] })
    const unnamed = two.engine.reports.receive({ gatewayId: "g1", status: "delivered" })
    assert.instanceOf(await failure(unnamed), Countersign.InvalidRequestError)
    const report = { gatewayId: "g1", status: "delivered", gateway: "first" } as const
    assert.strictEqual(await two.engine.reports.receive(report), "applied")
    const strange = { ...report, gatewayId: "g2" }
    assert.strictEqual(await two.engine.reports.receive(strange), "kept")
    const unknown = two.engine.reports.receive({ ...report, gateway: "third" })
    assert.instanceOf(await failure(unknown), Countersign.InvalidRequestError)
  })
})

describe("invalid gateways", () => {
  const secret = "hunter2-the-secret"
  const noDatabase = "postgres://127.0.0.1:1/none"

  /** A gateway with options as JavaScript passes them. */
  const broken = (options: object) => [{ ...own("a"), ...options }]

  it.for<
    readonly [string, ReadonlyArray<Countersign.AnyGateway>, RegExp, Countersign.RoutingOptions?]
  >([
    ["none at all", [], /the list is empty/],
    ["two of one name", [own("a"), own("a")], /two are called "a"/],
    ["a name that means something else", [own("router")], /"router" cannot be the name/],
    [
      "a time-out that is text",
      broken({ timeout: "10" }),
      /a\.timeout must be a number with its unit: write "10 seconds"/,
    ],
    ["reports that are text", broken({ reports: "yes" }), /a\.reports must be/],
    ["a token that is 1", broken({ honoursToken: 1 }), /a\.honoursToken must/],
    [
      "a look-up by tokens that is not there",
      broken({ lookupByToken: true }),
      /a\.lookupByToken needs the function lookup/,
    ],
    [
      "reports by reference that are not there",
      broken({ reportsByReference: true }),
      /a\.reportsByReference needs reports: true/,
    ],
    ["an invalid look-up", broken({ lookup: true }), /a\.lookup must be/],
    ["an invalid check", broken({ isReachable: {} }), /a\.isReachable must/],
    ["an invalid channel", broken({ channels: ["fax"] }), /a\.channels\.0 must/],
    ["channels that are text", broken({ channels: "sms" }), /a\.channels must/],
    ["an invalid rate", broken({ perSecond: 0 }), /a\.perSecond/],
    ["ids that are never unique", broken({ idLifetime: "0 seconds" }), /a\.idLifetime must/],
    [
      "ids that are unique for less than no time",
      [smpp({ host: "127.0.0.1", systemId: "id", password: "secret", idLifetime: untyped(-1) })],
      /smpp: idLifetime must be a number with its unit/,
    ],
    [
      "a route to a missing gateway",
      [own("a")],
      /no gateway "b"/,
      { routes: [{ gateway: "b" }, { gateway: "a" }] },
    ],
    [
      "a route for what a vendor does not carry",
      [bulkSmsBd({ apiKey: secret })],
      /route 1: "bulksmsbd" carries none/,
      { routes: [{ gateway: "bulksmsbd", channels: ["whatsapp"] }] },
    ],
    ["no time", [own("a")], /routing\.retryFor must be between/, { retryFor: "0 seconds" }],
    ["half a failure", [own("a")], /routing\.pauseAfter/, { pauseAfter: 0.5 }],
    ["an empty secret", [twilio({ accountSid, authToken: "" })], /twilio: authToken/],
    [
      "an invalid address",
      [kannel({ url: `kannel:${secret}`, username: "u", password: secret })],
      /kannel: url has to be an address/,
    ],
    [
      "a secret that no header can hold",
      [kannel({ url: nowhere, username: "u", password: `${secret}\n` })],
      /kannel: X-Kannel-Password/,
    ],
    [
      "a password that is too long",
      [smpp({ host: "127.0.0.1", systemId: "id", password: secret })],
      /smpp: SMPP has no room for this password/,
    ],
    [
      "an invalid key",
      [vonage({ auth: { applicationId: "a", privateKey: secret } })],
      /vonage: The private key is no RSA key/,
    ],
    [
      "a callback address without its secret",
      [kannel({ url: nowhere, username: "u", password: secret, callbackUrl: nowhere })],
      /kannel: callbackUrl goes with callbackSecret/,
    ],
    [
      "a description that makes no sense",
      [
        Vendors.httpGateway({
          description: { request: { url: "https://x.example/{unknown}" }, outcomes: [] },
        }),
      ],
      /http: The description of the gateway cannot be used/,
    ],
    [
      "a description without its secret",
      [
        Vendors.httpGateway({
          description: {
            name: "mine",
            request: {
              url: "https://x.example/",
              body: { form: { to: "{to}", text: "{text}", k: "{key}" } },
            },
            secrets: ["key"],
            outcomes: [{ when: { path: "id" }, means: "accepted" }],
          },
        }),
      ],
      /mine: .*\{key\} is missing/,
    ],
  ])("are refused before anything is started: %s", async ([_, gateways, message, routing]) => {
    const error = await failure(host({ database: noDatabase, gateways, routing }))
    assert.instanceOf(error, Countersign.ConfigurationError)
    assert.match(error.message, message)
    assert.notInclude(`${error.message} ${error.stack} ${String(error.cause)}`, secret)
  })

  it("are rejected if the value is a copy of a gateway, or from another copy of the package", async () => {
    const copied = { ...twilio(account) }
    const error = await failure(host({ database: noDatabase, gateways: [copied] }))
    assert.match(error.message, /not made by this copy of countersign\/gateways/)
  })

  it("show no secret when printed", () => {
    const shown = JSON.stringify([twilio(account), bulkSmsBd({ apiKey: secret })])
    assert.notInclude(shown, authToken)
    assert.notInclude(shown, secret)
  })
})

it("every vendor can be one of several gateways", async () => {
  const secret = "a secret of 8"
  const all: ReadonlyArray<Countersign.AnyGateway> = [
    twilio(account),
    vonage({ auth: { apiKey: "k", apiSecret: secret }, signatureSecret: secret }),
    Vendors.whatsappCloud({
      accessToken: secret,
      phoneNumberId: "1",
      template: { name: "otp" },
      appSecret: secret,
    }),
    Vendors.sslWireless({ apiToken: secret }),
    bulkSmsBd({ apiKey: secret }),
    Vendors.alphaSms({ apiKey: secret, poll: { first: "1 second" } }),
    Vendors.mimSms({ userName: "u", apiKey: secret }),
    Vendors.grameenphone({ username: "u", password: secret }),
    Vendors.robi({ username: "u", password: secret }),
    Vendors.banglalink({ userId: "u", password: secret }),
    kannel({ url: nowhere, username: "u", password: secret, callbackSecret: secret }),
    smpp({ host: "127.0.0.1", port: 47, systemId: "id", password: "secret" }),
    Vendors.smsGate({ credentials: { token: secret }, signingKey: secret }),
    Vendors.httpGateway({
      description: {
        name: "mine",
        request: { url: "https://x.example/", body: { json: { to: "{to}", text: "{text}" } } },
        outcomes: [{ when: { path: "id" }, means: "accepted" }],
      },
    }),
  ]
  const { engine } = await host({
    database: await database(),
    gateways: all,
    callbacks: { publicUrl: "https://sms.example.com/app/" },
  })
  assert.deepStrictEqual(
    (await engine.gateways.health()).map(({ gateway }) => gateway),
    all.map(({ name }) => name),
  )
  assert.deepStrictEqual(engine.callbacks.urls, {
    twilio: "https://sms.example.com/app/callbacks/twilio",
    vonage: "https://sms.example.com/app/callbacks/vonage",
    "whatsapp-cloud": "https://sms.example.com/app/callbacks/whatsapp-cloud",
    kannel: "https://sms.example.com/app/callbacks/kannel",
    smsgate: "https://sms.example.com/app/callbacks/smsgate",
  })
})
