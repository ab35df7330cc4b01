import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { OrganizationId } from "../../../src/domain/values/Ids.ts"
import * as DeliveryReport from "../../../src/domain/messages/DeliveryReport.ts"

const organization = OrganizationId("acme")
const ofMessage = { _tag: "Message", organization, sequence: 1 } as const
const ofGatewayId = { _tag: "GatewayId", gateway: "vendor", gatewayId: "g-1" } as const
const report = { of: ofMessage, status: "failed", detail: "absent" } as const

const problemOf = (read: Result.Result<unknown, string>): string =>
  Result.isFailure(read) ? read.failure : assert.fail("it was read")

const saidProblems: ReadonlyArray<readonly [object, string]> = [
  [{ status: undefined }, "status must be one of"],
  [{ status: "sent" }, "status must be one of"],
  [{ status: 1 }, "status must be one of"],
  [{ detail: 7 }, "detail must be a text or null"],
  [{ detail: { code: 7 } }, "detail must be a text or null"],
  [{ reason: "blocked" }, "reason must be one of"],
  [{ unreachable: "yes" }, "unreachable must be"],
  [{ gateway: 5 }, "gateway must be"],
  [{ gateway: "" }, "gateway must be"],
  [{ gateway: "a\u0000" }, "gateway must be"],
  [{ evidence: "clear" }, "evidence must be"],
  [{ evidence: null }, "evidence must be"],
]

describe("DeliveryReport.read", () => {
  it.each<DeliveryReport.DeliveryReport>([
    report,
    { ...report, of: ofGatewayId, detail: null },
    { ...report, of: { ...ofMessage, token: "abc" }, evidence: { id: 1 } },
    { ...report, reason: "recipient", unreachable: true, gateway: "vendor" },
    {
      ...report,
      reason: undefined,
      unreachable: undefined,
      gateway: undefined,
      evidence: undefined,
    },
  ])("parses %j", (given) => {
    assert.deepStrictEqual(Result.getOrThrow(DeliveryReport.read(given)), given)
  })

  it("treats an undefined detail as null", () => {
    const { detail } = Result.getOrThrow(
      DeliveryReport.read({ of: ofGatewayId, status: "delivered" }),
    )
    assert.isNull(detail)
  })

  it.each(saidProblems)("rejects %j: %s", (fields, problem) => {
    assert.include(problemOf(DeliveryReport.read({ ...report, ...fields })), problem)
  })

  it.each<readonly [unknown, string]>([
    [undefined, "of must be an object"],
    [null, "of must be an object"],
    ["g-1", "of must be an object"],
    [{}, "of._tag must be one of"],
    [{ ...ofMessage, _tag: "Id" }, "of._tag must be one of"],
    [{ ...ofMessage, organization: undefined }, "organization must be"],
    [{ ...ofMessage, organization: 5 }, "organization must be"],
    [{ ...ofMessage, organization: "no spaces" }, "organization must be"],
    [{ ...ofMessage, sequence: undefined }, "sequence must be"],
    [{ ...ofMessage, sequence: "1" }, "sequence must be"],
    [{ ...ofMessage, sequence: 0 }, "sequence must be"],
    [{ ...ofMessage, sequence: 1.5 }, "sequence must be"],
    [{ ...ofMessage, sequence: 2 ** 53 }, "sequence must be"],
    [{ ...ofMessage, token: 5 }, "token must be"],
    [{ ...ofMessage, token: null }, "token must be"],
    [{ ...ofGatewayId, gateway: undefined }, "gateway must be"],
    [{ ...ofGatewayId, gateway: 5 }, "gateway must be"],
    [{ ...ofGatewayId, gatewayId: undefined }, "gatewayId must be"],
    [{ ...ofGatewayId, gatewayId: 4711 }, "gatewayId must be"],
    [{ ...ofGatewayId, gatewayId: "" }, "gatewayId must be"],
  ])("rejects a report on %j: %s", (of, problem) => {
    assert.include(problemOf(DeliveryReport.read({ ...report, of })), problem)
  })

  it.each([undefined, null, "delivered", 5])(
    "rejects a value that is not a report: %j",
    (given) => {
      assert.strictEqual(problemOf(DeliveryReport.read(given)), "the report must be an object")
    },
  )
})

describe("DeliveryReport.readAnswer", () => {
  const reported = { _tag: "Reported", status: "undelivered", detail: "absent" } as const

  it("parses a report and an outcome", () => {
    assert.deepStrictEqual(Result.getOrThrow(DeliveryReport.readAnswer(reported)), reported)
    const outcome = { _tag: "NotSent", message: "never seen" } as const
    assert.strictEqual(Result.getOrThrow(DeliveryReport.readAnswer(outcome)), outcome)
  })

  it.each(saidProblems)("rejects %j: %s", (fields, problem) => {
    assert.include(problemOf(DeliveryReport.readAnswer({ ...reported, ...fields })), problem)
  })

  it("rejects an invalid outcome", () => {
    assert.include(problemOf(DeliveryReport.readAnswer({ _tag: "Accepted" })), "gatewayId must be")
  })
})

describe("DeliveryReport.gatewayIn", () => {
  it.each([
    [{ gateway: "vendor" }, "vendor"],
    [{ of: { gateway: "vendor" } }, "vendor"],
    [{ gateway: "first", of: { gateway: "second" } }, "first"],
    [{ gateway: 5, of: { gateway: "second" } }, "second"],
    [{ gateway: 5, of: { gateway: 6 } }, undefined],
    [{ of: "vendor" }, undefined],
    [{}, undefined],
    [undefined, undefined],
    ["vendor", undefined],
    [{ gateway: "+8801712345678" }, "+8801*****678"],
  ])("of %j is %j", (report, gateway) => {
    assert.strictEqual(DeliveryReport.gatewayIn(report), gateway)
  })
})
