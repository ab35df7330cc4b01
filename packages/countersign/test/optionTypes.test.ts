import { Client, Pool } from "pg"
import { assert, describe, expectTypeOf, it } from "vitest"
import * as Countersign from "../src/index.ts"
import { kannel, twilio } from "../src/gateways.ts"
import { hosts } from "./support/host.ts"
import { failure, phone } from "./support/values.ts"

const { host } = hosts()

/** Checks options by their types only. */
const typed = <const Name extends string = string>(
  options: Countersign.CountersignOptions<Name>,
): Countersign.CountersignOptions<Name> => options

const account = { accountSid: "AC1", authToken: "token" }
const operator = { url: "http://127.0.0.1:13013/", username: "me", password: "secret" }
const send = async (): Promise<Countersign.GatewayOutcome> => ({ status: "unknown", message: "" })
const own = { name: "own", send } as const

describe("the options, by their types", () => {
  it("name the gateways of the list in routes", () => {
    expectTypeOf(twilio(account).name).toEqualTypeOf<"twilio">()
    expectTypeOf(twilio({ ...account, name: "second" }).name).toEqualTypeOf<"second">()
    const gateways = [own, twilio(account), kannel({ ...operator, name: "gp" })] as const
    const { routing } = typed({
      gateways,
      routing: { routes: [{ gateway: "own" }, { gateway: "twilio" }, { gateway: "gp" }] },
    })
    assert.lengthOf(routing?.routes ?? [], 3)
    // @ts-expect-error: the gateway has another name.
    typed({ gateways, routing: { routes: [{ gateway: "kannel" }] } })
    typed({
      gateways: [{ name: "literal", send }],
      // @ts-expect-error: no gateway has this name.
      routing: { routes: [{ gateway: "other" }] },
    })
    const named: Countersign.Gateway = { ...own, name: String(1) }
    typed({ gateways: [named], routing: { routes: [{ gateway: "any" }] } })
  })

  it("have one form of a database", () => {
    typed({ database: "memory" })
    typed({ database: process.env["DATABASE_URL"] })
    typed({ database: { url: process.env["DATABASE_URL"], schema: "other", maxConnections: 20 } })
    typed({ database: { folder: "data", phoneNumberSecret: ["new", "old"] } })
    typed({ database: { pool: new Pool(), schema: "other" } })
    // @ts-expect-error: the pool has a number of connections.
    typed({ database: { pool: new Pool(), maxConnections: 20 } })
    // @ts-expect-error: two places.
    typed({ database: { pool: new Pool(), folder: "data" } })
    // @ts-expect-error: a single connection.
    typed({ database: { pool: new Client() } })
    // @ts-expect-error: a place is missing.
    typed({ database: { schema: "other" } })
    // @ts-expect-error: two places.
    typed({ database: { url: "postgres://h/d", folder: "data" } })
    // @ts-expect-error: a folder has one connection.
    typed({ database: { folder: "data", maxConnections: 20 } })
    // @ts-expect-error: a number without its unit.
    typed({ settleAfter: 60 })
    // @ts-expect-error: the option has another name.
    typed({ pepper: "x" })
  })
})

describe("without a default organization", () => {
  it("the start creates none, and calls have to name one", async () => {
    const { engine } = await host({ defaultOrganization: false })
    assert.deepStrictEqual((await engine.organizations.list()).items, [])
    const error = await failure(engine.verifications.send({ phoneNumber: phone() }))
    assert.instanceOf(error, Countersign.InvalidRequestError)
    assert.match(error.message, /^organization must be named by organization\(id\)/)
    const inNameOf = engine.as({ id: "operator" }).account.balance()
    assert.instanceOf(await failure(inNameOf), Countersign.InvalidRequestError)
    await engine.organizations.create({ id: "acme" })
    const acme = engine.organization("acme")
    await acme.senders.create({ kind: "non-masking", value: "8809612345678", isDefault: true })
    await acme.verifications.send({ phoneNumber: phone() })
  })

  it("senders are refused, because they are those of the default organization", async () => {
    const error = await failure(host({ defaultOrganization: false, senders: { sms: "shop" } }))
    assert.instanceOf(error, Countersign.ConfigurationError)
    assert.match(error.message, /^senders are those of the default organization/)
  })
})
