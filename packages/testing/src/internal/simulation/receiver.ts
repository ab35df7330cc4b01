/** The receiver of an organization's webhook, which fails and answers slowly. */
import type { WebhookResponse, WebhookTransport } from "@countersign/core/ports/WebhookTransport"
import * as Effect from "effect/Effect"
import type { SimulatedNode } from "../../SimulatedWorld.ts"
import type { Stage } from "./stage.ts"

export class SimulatedReceiver {
  readonly #stage: Stage
  readonly #taken = new Map<string, Set<number>>()
  #isHealthy = false

  constructor(stage: Stage) {
    this.#stage = stage
  }

  /** Ends all faults. */
  heal(): void {
    this.#isHealthy = true
  }

  /** The sequences of the events of an organization that it has taken. */
  taken(organization: string): ReadonlySet<number> {
    return this.#taken.get(organization) ?? new Set()
  }

  transportOf(node: SimulatedNode): WebhookTransport {
    return {
      problemOf: () => undefined,
      post: ({ headers }) =>
        Effect.callback<WebhookResponse>((resume) => {
          const { world } = this.#stage
          world.after(this.#stage.latency(), () => {
            const response = this.#answer(headers["webhook-id"] ?? "")
            const answer = () => resume(Effect.succeed(response))
            world.after(this.#stage.latency(), () => node.soon(answer))
          })
        }),
    }
  }

  #answer(id: string): WebhookResponse {
    const { world } = this.#stage
    const kind = this.#isHealthy ? "takes it" : world.pick(kinds)
    this.#stage.meet(`webhook: the receiver ${kind}`)
    if (kind === "fails") return { _tag: "Answered", status: 500, retryAfter: undefined, start: "" }
    if (kind === "is away") return { _tag: "Unanswered", error: "No connection" }
    const [, organization = "", sequence = ""] = /^evt_(.*)_(\d+)$/.exec(id) ?? []
    const taken = this.#taken.get(organization) ?? new Set()
    this.#taken.set(organization, taken.add(Number(sequence)))
    return kind === "loses its answer"
      ? { _tag: "Unanswered", error: "Reset" }
      : { _tag: "Answered", status: 200, retryAfter: undefined, start: "" }
  }
}

const kinds = ["takes it", "takes it", "takes it", "fails", "is away", "loses its answer"] as const
