/**
 * The hooks of `@countersign/hooks`, called by the libraries of the servers that they are for.
 */
import { logtoSmsHook, superTokensSms, supabaseSmsHook } from "@countersign/hooks"
import { type CountersignOptions, createCountersign, developmentGateway } from "countersign"
import createLogtoConnector from "@logto/connector-http-sms"
import * as FastCheck from "fast-check"
import { createServer } from "node:http"
import { Webhook } from "standardwebhooks"
import SuperTokens from "supertokens-node"
import Passwordless from "supertokens-node/recipe/passwordless"
import Session from "supertokens-node/recipe/session"
import { assert, describe, onTestFinished, test } from "vitest"
import { end, listen } from "../support/loopback.ts"

const phoneNumber = "+8801712345678"

const start = async (options: CountersignOptions = {}) => {
  const gateway = developmentGateway()
  const countersign = await createCountersign({
    database: "memory",
    gateways: [gateway],
    log: () => {},
    ...options,
  })
  onTestFinished(() => countersign.dispose())
  const texts = () => gateway.messages(phoneNumber).map(({ text }) => text)
  return { countersign, texts }
}

const refusing = { limits: { messagesPerOrganization: { max: 0, per: "1 hour" } } } as const

describe("the connector of Logto", () => {
  const setUp = async (options?: CountersignOptions) => {
    const { countersign, texts } = await start(options)
    const token = "a token for tests, and only for tests"
    const hook = logtoSmsHook(countersign, { token, text: ({ code }) => `${code} is your code.` })
    const server = createServer(hook.listener)
    const port = await listen(server)
    onTestFinished(() => end(server))
    const config = { endpoint: `http://127.0.0.1:${port}/hooks/logto` }
    const connector = await createLogtoConnector({
      getConfig: async () => ({ ...config, authorization: `Bearer ${token}` }),
    })
    const send = () =>
      connector.sendMessage({
        to: phoneNumber.slice(1),
        type: "SignIn",
        payload: { code: "123456", locale: "en" },
      })
    return { send, texts }
  }

  test("gets an answer that it accepts, and a repeat sends nothing", async () => {
    const { send, texts } = await setUp()
    await send()
    await send()
    assert.deepStrictEqual(texts(), ["123456 is your code."])
  })

  test("shows our refusal", async () => {
    const { send } = await setUp(refusing)
    const error: unknown = await send().catch((error: unknown) => error)
    const { message } = Object(Reflect.get(Object(error), "data"))
    assert.deepInclude(JSON.parse(message), { code: "rate_limited" })
  })
})

describe("the recipe Passwordless of SuperTokens", () => {
  test("sends by the service, and fails with our refusal", async () => {
    const allowed = await start()
    const refused = await start(refusing)
    const text = ({ code }: { readonly code: string | undefined }) => `${code} is your code.`
    const services = [allowed, refused].map(({ countersign }) =>
      superTokensSms(countersign, { text }),
    )
    const [service = assert.fail("no service"), other = assert.fail("no service")] = services
    let sendSms = service.sendSms
    SuperTokens.init({
      framework: "custom",
      appInfo: {
        appName: "Acme",
        apiDomain: "https://api.acme.example",
        websiteDomain: "https://acme.example",
      },
      supertokens: { connectionURI: "http://127.0.0.1:1" },
      recipeList: [
        Passwordless.init({
          contactMethod: "PHONE",
          flowType: "USER_INPUT_CODE",
          smsDelivery: { service: { sendSms: (input) => sendSms(input) } },
        }),
        Session.init(),
      ],
    })
    const send = () =>
      Passwordless.sendSms({
        type: "PASSWORDLESS_LOGIN",
        isFirstFactor: true,
        phoneNumber,
        userInputCode: "123456",
        codeLifetime: 900_000,
        preAuthSessionId: "a session of tests",
        tenantId: "public",
      })
    await send()
    await send()
    assert.deepStrictEqual(allowed.texts(), ["123456 is your code."])
    sendSms = other.sendSms
    const error: unknown = await send().catch((error: unknown) => error)
    assert.strictEqual(Reflect.get(Object(error), "code"), "rate_limited")
  })
})

/** What becomes of a signed request on its way. */
const changes = FastCheck.record(
  {
    "webhook-id": FastCheck.constantFrom("msg_1", "msg_2", ""),
    "webhook-timestamp": FastCheck.oneof(
      FastCheck.integer({ min: -400, max: 400 }).map((seconds) => `${seconds}`),
      FastCheck.constantFrom("", "x", "1e9"),
    ),
    "webhook-signature": FastCheck.constantFrom("", "v1,", "v2,AAAA", "v1,AAAA"),
    body: FastCheck.constantFrom("{}", "{ }"),
    isRight: FastCheck.boolean(),
  },
  { requiredKeys: ["isRight"] },
)

describe("standardwebhooks", () => {
  test("accepts the same signatures as the hook of Supabase", async () => {
    const { countersign } = await start()
    const secret = `whsec_${Buffer.from("the secret of a hook, for tests").toString("base64")}`
    const other = `whsec_${Buffer.from("the secret of another hook").toString("base64")}`
    const hook = supabaseSmsHook(countersign, { secrets: secret, text: ({ code }) => code })
    const oracle = new Webhook(secret)
    const verdicts = new Set<boolean>()
    await FastCheck.assert(
      FastCheck.asyncProperty(changes, async ({ body = "{}", isRight, ...changed }) => {
        const now = Math.floor(Date.now() / 1_000)
        const offset = changed["webhook-timestamp"]
        const seconds = offset === undefined ? 0 : Number(offset)
        // Not at the limit: the hook reads the clock later.
        FastCheck.pre(Math.abs(Math.abs(seconds) - 300) > 2)
        const at = Number.isFinite(seconds) ? seconds : 0
        const signer = isRight ? oracle : new Webhook(other)
        const headers = {
          "webhook-id": "msg_1",
          "webhook-signature": signer.sign("msg_1", new Date((now + at) * 1_000), "{}"),
          ...changed,
          "webhook-timestamp": /^-?\d+$/.test(offset ?? "0") ? `${now + at}` : (offset ?? ""),
        }
        let isAccepted = true
        try {
          oracle.verify(body, headers)
        } catch {
          isAccepted = false
        }
        const { status } = await hook.fetch(
          new Request("https://example.com/", { method: "POST", body, headers }),
        )
        verdicts.add(isAccepted)
        // The body is no request of Supabase.
        assert.strictEqual(status, isAccepted ? 400 : 401)
      }),
      { numRuns: 500 },
    )
    assert.strictEqual(verdicts.size, 2)
  })
})
