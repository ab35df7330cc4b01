import type { Adapter } from "@countersign/gateways/Adapter"
import * as GatewaySuite from "@countersign/testing/GatewaySuite"
import * as Effect from "effect/Effect"

/** Whether an adapter accepts a report that comes in this request. */
export const believes = async (
  made: Effect.Effect<Adapter, unknown, GatewaySuite.Platform>,
  url: URL,
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<boolean> => {
  const { callback } = await Effect.runPromise(Effect.provide(made, GatewaySuite.platform))
  const request = { method: "POST", url, headers, body: new TextEncoder().encode(body) }
  const outcome = await Effect.runPromise(callback?.(request) ?? Effect.die("no callback"))
  return outcome._tag !== "Refused"
}
