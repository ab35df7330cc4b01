import { messages } from "@countersign/core/api/messages"
import { verifications } from "@countersign/core/api/verifications"
import { isFieldProblem } from "@countersign/core/domain/values/FieldProblem"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { anyObject, anyValue, shown } from "../../../../../test/support/fieldValues.ts"
import * as Readers from "../../../src/tenant/internal/readers.ts"

type Body = Readonly<Record<string, unknown>>

interface Read {
  /** The members of the input that a body has, and their names on the wire. */
  readonly fields: Readonly<Record<string, Schema.Codec<unknown, unknown>>>
  readonly names: Readers.WireNames
  readonly read: (body: Body) => object
}

const { messageNames, verificationNames } = Readers

const reads: Readonly<Record<string, Read>> = {
  "a message": {
    fields: messages.send.input.fields,
    names: messageNames,
    read: Readers.sendMessage,
  },
  "a code to send": {
    // The interface chooses the id.
    fields: Struct.omit(verifications.send.input.fields, ["requestId"]),
    names: verificationNames,
    read: Readers.sendVerification,
  },
  "a code to check": {
    fields: verifications.check.input.fields,
    names: verificationNames,
    read: Readers.checkVerification,
  },
  "a code to send again": {
    fields: verifications.resend.input.fields,
    names: verificationNames,
    read: (body) => Readers.resendVerification("vrf_1", body),
  },
  "a verification to use up": {
    fields: verifications.consume.input.fields,
    names: verificationNames,
    read: (body) => Readers.consumeVerification("vrf_1", body),
  },
}

/** Known from the key, and in a header. */
const notInBody = ["organization", "idempotencyKey"]

/** `expiresIn` has another form: seconds. */
const others = [...notInBody, "expiresIn"]

describe("a reader of the tenant interface", () => {
  it.each(Object.entries(reads))("reads %s as its operation does", (_, { fields, names, read }) => {
    const decoders = Object.entries(fields)
      .filter(([name]) => !others.includes(name))
      .map(
        ([name, field]) =>
          [name, Schema.decodeUnknownResult(Schema.Struct({ [name]: field }))] as const,
      )
    assert.sameMembers(
      Object.keys(read({})),
      Object.keys(fields).filter((name) => !notInBody.includes(name)),
    )
    const inputs = fc.record(
      Object.fromEntries(
        decoders.map(([name]) => [name, name === "metadata" ? anyObject : anyValue] as const),
      ),
    )
    fc.assert(
      fc.property(inputs, (input) => {
        const found = read(
          Object.fromEntries(
            Object.entries(input).map(([name, value]) => [names[name] ?? name, value]),
          ),
        )
        for (const [name, decode] of decoders) {
          // It is in the path.
          if (name === "requestId" && Reflect.get(found, name) === "vrf_1") continue
          const given = input[name]
          const decoded = decode(given === undefined ? {} : { [name]: given })
          const value: unknown = Reflect.get(found, name)
          assert.strictEqual(
            Result.isFailure(decoded),
            isFieldProblem(value),
            `${name}: ${JSON.stringify(given)}`,
          )
          if (Result.isSuccess(decoded)) {
            assert.deepStrictEqual(shown(value), shown(Reflect.get(decoded.success, name)))
          }
        }
      }),
    )
  })

  it("reads seconds as a duration of the operation", () => {
    const decode = Schema.decodeUnknownSync(verifications.send.input.fields.expiresIn)
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000_000 }), (expiry) => {
        const { expiresIn } = Readers.sendVerification({ expiry })
        assert.strictEqual(decode(expiresIn), expiresIn)
      }),
    )
  })
})
