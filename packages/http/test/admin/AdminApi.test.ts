import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { assert, describe, it } from "vitest"
import { AdminApi } from "../../src/admin/AdminApi.ts"
import { Failure } from "../../src/admin/internal/failures.ts"
import { accessOf } from "../support/AdminSubject.ts"

const document = OpenApi.fromApi(AdminApi)

const operations = Object.values(document.paths)
  .flatMap(({ delete: remove, get, patch, post, put }) => [get, post, put, patch, remove])
  .filter((operation) => operation !== undefined)

describe("the description of the admin API", () => {
  it("is an OpenAPI 3.1 document without dangling references", () => {
    assert.strictEqual(document.openapi, "3.1.0")
    const references = JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+\/\w+)"/g)
    for (const [, path = ""] of references) {
      assert.nestedProperty(document.components, path.replace("/", "."))
    }
  })

  it("names the role of each endpoint, and no other endpoint has one", () => {
    const names = operations.map(({ operationId }) => operationId)
    assert.sameMembers(names, [...accessOf.keys()])
    for (const { description = "", operationId } of operations) {
      assert.match(
        description,
        /Roles(?: without `organizations`)?: (?:`(?:operator|support|billing|viewer|tenant)`(?:, )?)+\.$/,
        operationId,
      )
    }
  })

  it("describes the failures of each endpoint, with an example", () => {
    for (const { operationId, responses } of operations) {
      assert.containsAllKeys(responses, ["401", "403", "500", "503"], operationId)
      for (const [status, response] of Object.entries(responses)) {
        if (Number(status) < 400) continue
        assert.match(response.description, /^[A-Z].+\.$/, `${operationId} ${status}`)
        const example: unknown = Object(response.content?.["application/json"]).example
        const decode = Schema.decodeUnknownSync(Failure, { onExcessProperty: "error" })
        assert.isNotEmpty(decode(example).code)
      }
    }
    const statusesOf = (name: string) =>
      operations
        .filter(({ operationId }) => operationId === name)
        .flatMap(({ responses }) => Object.keys(responses))
    assert.sameMembers(statusesOf("session.get"), ["200", "401", "403", "500", "503"])
    assert.includeMembers(statusesOf("verifications.resend"), ["402", "410", "429", "502"])
  })

  it("has an example of each body", () => {
    const bodies = operations.filter(({ requestBody }) => requestBody !== undefined)
    for (const { operationId, requestBody } of bodies) {
      assert.isObject(Object(requestBody?.content["application/json"]).example, operationId)
    }
  })

  it("lets tenants read, and change what is theirs", () => {
    const ofTenants = (right: string) =>
      [...accessOf]
        .filter(([, access]) => access.right === right && !("isOperatorOnly" in access))
        .map(([name]) => name)
    const forOperators = [...accessOf]
      .filter(([, access]) => "isOperatorOnly" in access)
      .map(([name, { right }]) => `${name} ${right}`)
    assert.sameMembers(forOperators, [
      "host.gateways read",
      "host.gatewayActivity read",
      "messages.testGateway admin",
      "host.unmatchedReports read",
      "organizations.create admin",
      "organization.suspend admin",
      "organization.resume admin",
      "organization.repairTime admin",
      "account.topUp finance",
      "account.adjust finance",
    ])
    assert.sameMembers(ofTenants("finance"), [])
    assert.sameMembers(ofTenants("support"), [
      "optOuts.add",
      "optOuts.remove",
      "verifications.cancel",
      "verifications.resetGuesses",
    ])
    const reading = operations.filter(({ operationId }) => ofTenants("read").includes(operationId))
    const writing = operations.filter(({ requestBody }) => requestBody !== undefined)
    assert.deepStrictEqual(
      reading.filter((operation) => writing.includes(operation)).map((one) => one.operationId),
      ["messages.preview", "fraud.trial"],
    )
    assert.include(ofTenants("admin"), "privacy.export")
  })
})
