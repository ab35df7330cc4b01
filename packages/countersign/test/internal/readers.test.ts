import { messages } from "@countersign/core/api/messages"
import { verifications } from "@countersign/core/api/verifications"
import { isFieldProblem } from "@countersign/core/domain/values/FieldProblem"
import type { Reader } from "@countersign/core/domain/values/FieldReaders"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { anyObject, anyValue, shown } from "../../../../test/support/fieldValues.ts"
import * as Readers from "@countersign/core/api/Readers"

type Fields = Readonly<Record<string, Schema.Codec<unknown, unknown>>>

const reads: ReadonlyArray<
  readonly [name: string, readers: Readonly<Record<string, Reader<unknown>>>, fields: Fields]
> = [
  ["messages.send", Readers.sendMessage, messages.send.input.fields],
  ["verifications.send", Readers.send, verifications.send.input.fields],
  ["verifications.resend", Readers.resend, verifications.resend.input.fields],
  ["verifications.consume", Readers.consume, verifications.consume.input.fields],
  ["verifications.verify", Readers.verify, verifications.verify.input.fields],
  ["verifications.check", Readers.check, verifications.check.input.fields],
]

describe("a reader of the promise API", () => {
  it.each(reads)(
    "reads %s as its operation does",
    (_, readers, { organization: _organization, ...fields }) => {
      assert.sameMembers(Object.keys(readers), Object.keys(fields))
      for (const [name, read] of Object.entries(readers)) {
        const decode = Schema.decodeUnknownResult(
          Schema.Struct({ [name]: fields[name] ?? Schema.Never }),
        )
        fc.assert(
          fc.property(name === "metadata" ? anyObject : anyValue, (given) => {
            const decoded = decode(given === undefined ? {} : { [name]: given })
            const value = read(given)
            assert.strictEqual(Result.isFailure(decoded), isFieldProblem(value), name)
            if (Result.isSuccess(decoded)) {
              assert.deepStrictEqual(shown(value), shown(Reflect.get(decoded.success, name)))
            }
          }),
        )
      }
    },
  )
})
