import { PlainCore, PlainVerifications } from "../baselines/plainCore.ts"
import { numberOf, phones, type Side } from "./side.ts"

const spread = async <A>(
  items: ReadonlyArray<A>,
  concurrency: number,
  run: (item: A) => Promise<void>,
): Promise<void> => {
  let next = 0
  const loop = async (): Promise<void> => {
    for (let item = items[next++]; item !== undefined; item = items[next++]) await run(item)
  }
  await Promise.all(Array.from({ length: concurrency }, loop))
}

export const plainSide = async (): Promise<Side> => {
  const { remember, takeCode } = phones()
  const core = new PlainCore(100_000_000_000, {
    sendsPerNumber: undefined,
    checksPerOrganization: undefined,
    pendingPerNumber: 1_000,
    attempts: 3,
  })
  const verifications = new PlainVerifications(
    core,
    {
      send: async (to, text) => {
        remember(to, text)
        return { status: "delivered", gatewayId: `instant_${to}` }
      },
    },
    "b".repeat(32),
    "8809612000000",
  )
  return {
    send: async (ranks, concurrency) => {
      const codes: Array<readonly [string, string]> = []
      await spread(ranks, concurrency, async (rank) => {
        const { requestId, to } = await verifications.send(numberOf(rank))
        codes.push([requestId, takeCode(to)])
      })
      return codes
    },
    check: (codes, concurrency) =>
      spread(codes, concurrency, async ([requestId, code]) => {
        await verifications.check(requestId, code)
      }),
  }
}
