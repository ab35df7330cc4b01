/**
 * The contract of the HTTP API as tests: every promise of the documents, over real HTTP. Run the suite once
 * per mount.
 *
 * @example
 * ```ts
 * HttpContract.suite(
 *   "my mount",
 *   HttpContract.layer(serve).pipe(
 *     Layer.provide([MemoryStore.layer, Node.layerCrypto]),
 *     Layer.provide(HttpContract.layerTime),
 *   ),
 * )
 * ```
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { access } from "./internal/http-contract/access.ts"
import { bodies } from "./internal/http-contract/bodies.ts"
import { checkCode } from "./internal/http-contract/checkCode.ts"
import { idempotency } from "./internal/http-contract/idempotency.ts"
import { messageLog } from "./internal/http-contract/messageLog.ts"
import { money } from "./internal/http-contract/money.ts"
import { openApi } from "./internal/http-contract/openApi.ts"
import { order } from "./internal/http-contract/order.ts"
import { probes } from "./internal/http-contract/probes.ts"
import { requestContent } from "./internal/http-contract/requestContent.ts"
import { requestEnd } from "./internal/http-contract/requestEnd.ts"
import { requestState } from "./internal/http-contract/requestState.ts"
import { resendCode } from "./internal/http-contract/resendCode.ts"
import { rows } from "./internal/http-contract/rows.ts"
import { sendCode } from "./internal/http-contract/sendCode.ts"
import { senders } from "./internal/http-contract/senders.ts"
import { sendMessage } from "./internal/http-contract/sendMessage.ts"
import { Subject } from "./internal/http-contract/subject.ts"
import { Contract, type ContractTest } from "./internal/http-contract/support.ts"
import { windows } from "./internal/http-contract/windows.ts"

export {
  layer,
  type Requirements,
  type Serve,
  Time,
  layerTime,
} from "./internal/http-contract/engine.ts"
export {
  type Host,
  type MountOptions,
  type OrganizationOptions,
  type Sender,
  Subject,
} from "./internal/http-contract/subject.ts"

export interface Options {
  /** Longest time that a test may take, in milliseconds. @defaultValue 30,000 */
  readonly timeoutMillis?: number | undefined
}

const tests: ReadonlyArray<ContractTest> = [
  ...access,
  ...bodies,
  ...order,
  ...sendCode,
  ...checkCode,
  ...windows,
  ...requestContent,
  ...requestState,
  ...resendCode,
  ...requestEnd,
  ...idempotency,
  ...sendMessage,
  ...senders,
  ...money,
  ...messageLog,
  ...openApi,
  ...probes,
]

/**
 * Tests a mount. All tests share one service, and each has its own organizations. Tests that need time to
 * pass run last, one after another.
 */
export const suite = <E>(
  name: string,
  subject: Layer.Layer<Subject, E>,
  { timeoutMillis: timeout = 30_000 }: Options = {},
): void => {
  describe(`HTTP contract: ${name}`, () => {
    const scope = Scope.makeUnsafe()
    let contract: Contract | undefined
    const run = (test: ContractTest) => async (): Promise<void> => {
      assert(contract !== undefined, "the service has started")
      await test.run(contract, await contract.organization())
    }

    beforeAll(async () => {
      const context = await Effect.runPromise(Layer.buildWithScope(subject, scope))
      const service = Context.get(context, Subject)
      contract = new Contract(service, await service.serve({}))
    })
    afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

    describe.concurrent("while time stands still", () => {
      for (const test of tests.filter(({ movesTime }) => !movesTime)) {
        it(test.title, { timeout }, run(test))
      }
    })
    describe("as time passes", () => {
      for (const test of tests.filter(({ movesTime }) => movesTime)) {
        it(test.title, { timeout }, run(test))
      }
    })
    it("every promise of the documents has a test", () => {
      const proved = new Set<string>(tests.flatMap((test) => test.rows))
      assert.deepStrictEqual(
        Object.keys(rows).filter((row) => !proved.has(row)),
        [],
      )
    })
  })
}
