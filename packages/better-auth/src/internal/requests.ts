/** The requests of browsers: how a code is sent, sent again, and checked. */
import type { GenericEndpointContext } from "better-auth"
import {
  isCountersignError,
  RequestNotFoundError,
  type SendVerification,
  type Verification,
  type VerifiedNumber,
} from "countersign"
import { bind, bound, unbind } from "./binding.ts"
import { clientOf, endsRequest, find, isOpen, normalize } from "./common.ts"
import { refuse } from "./problems.ts"
import type { CheckInput, Purpose, Waiting } from "./protocol.ts"
import type { CountersignOptions, Engine } from "./types.ts"

const systemClock = {
  // oxlint-disable-next-line countersign/no-machine-time -- better-auth has no clock but that of the machine
  now: (): Date => new Date(),
}

/** The recipient of a code, its purpose, and how to send it. */
interface Start extends Pick<SendVerification, "channel" | "locale"> {
  readonly phoneNumber: string
  readonly purpose: Purpose
  /** The user who is signed in, if the number is to be theirs. */
  readonly userId: string | undefined
}

export class Requests {
  readonly #engine: Engine
  readonly #options: CountersignOptions

  constructor(engine: Engine, options: CountersignOptions) {
    this.#engine = engine
    this.#options = options
  }

  /** The request that this browser waits for. */
  async #open(ctx: GenericEndpointContext, purpose: Purpose): Promise<Verification | undefined> {
    const found = await find(this.#engine, bound(ctx, purpose)?.ids[0])
    return found?.purpose === purpose && isOpen(found) ? found : undefined
  }

  /** The state of the request that this browser waits for; `undefined` without one. */
  async waiting(ctx: GenericEndpointContext, purpose: Purpose): Promise<Waiting | undefined> {
    const open = await this.#open(ctx, purpose)
    return open === undefined ? undefined : this.#waitingOf(open)
  }

  async #waitingAfter({ requestId }: { readonly requestId: string }): Promise<Waiting> {
    return this.#waitingOf(await this.#engine.verifications.get({ requestId }))
  }

  #waitingOf(verification: Verification): Waiting {
    const { clock = systemClock, codeLength = 6 } = this.#options
    const { attemptsRemaining, channel, expiresAt, phoneNumber, resendAt, resendsRemaining } =
      verification
    return {
      status: "waiting",
      phoneNumber,
      channel,
      codeLength,
      expiresAt,
      resendAt,
      resendsRemaining,
      attemptsRemaining,
      now: clock.now(),
    }
  }

  /** Sends a code, and again the same code for the same number. */
  async start(ctx: GenericEndpointContext, input: Start): Promise<Waiting> {
    const { purpose, userId } = input
    const phoneNumber = normalize(input.phoneNumber, this.#options)
    const open = await this.#open(ctx, purpose)
    if (open?.phoneNumber === phoneNumber && open.metadata?.["userId"] === userId) {
      const repeated = await this.#repeat(ctx, open, input)
      if (repeated !== undefined) return repeated
    }
    const requestId = this.#engine.verifications.newRequestId()
    // Before the send: its outcome may be unknown, and the code may still arrive.
    bind(ctx, purpose, phoneNumber, [requestId])
    try {
      await this.#send(ctx, { ...input, phoneNumber }, requestId)
    } catch (error) {
      const isRefused = isCountersignError(error) && error.httpStatus < 500
      if (isRefused && open !== undefined) bind(ctx, purpose, open.phoneNumber, [open.requestId])
      throw error
    }
    if (open !== undefined) await this.#end(open)
    return this.#waitingAfter({ requestId })
  }

  async #send(
    ctx: GenericEndpointContext,
    { channel, locale, phoneNumber, purpose, userId }: Start,
    requestId: string,
  ): Promise<void> {
    const { codeLength, expiresIn } = this.#options
    await this.#engine.verifications.send({
      phoneNumber,
      purpose,
      requestId,
      codeLength,
      expiresIn,
      channel,
      locale,
      client: clientOf(ctx, this.#options),
      ...(userId === undefined ? {} : { metadata: { userId } }),
    })
  }

  /** Sends the code of a request again. During the cooldown, nothing is sent. */
  async #repeat(
    ctx: GenericEndpointContext,
    open: Verification,
    { channel }: Start,
  ): Promise<Waiting | undefined> {
    try {
      return await this.#resend(ctx, open, channel)
    } catch (error) {
      if (endsRequest(error)) return undefined
      const isCooldown =
        isCountersignError(error) && error.code === "rate_limited" && error.reason === "cooldown"
      if (isCooldown) return this.#waitingAfter(open)
      throw error
    }
  }

  async #resend(
    ctx: GenericEndpointContext,
    { requestId }: Verification,
    channel: Start["channel"],
  ): Promise<Waiting> {
    const client = clientOf(ctx, this.#options)
    await this.#engine.verifications.resend({ requestId, channel, client })
    return this.#waitingAfter({ requestId })
  }

  /** Sends the code again that this browser waits for. */
  async resend(
    ctx: GenericEndpointContext,
    { channel, purpose }: { readonly channel: Start["channel"]; readonly purpose: Purpose },
  ): Promise<Waiting> {
    const open = await this.#open(ctx, purpose)
    if (open === undefined) throw new RequestNotFoundError()
    return this.#resend(ctx, open, channel)
  }

  async #end({ requestId }: Verification): Promise<void> {
    try {
      await this.#engine.verifications.cancel({ requestId })
    } catch (error) {
      if (!endsRequest(error)) throw error
    }
  }

  /** Ends the request of this browser. */
  async cancel(ctx: GenericEndpointContext, purpose: Purpose): Promise<void> {
    const open = await this.#open(ctx, purpose)
    if (open !== undefined) await this.#end(open)
    unbind(ctx, purpose)
  }

  /** Checks a code, and uses it up. The number of the answer is the only one to trust. */
  async verify(
    ctx: GenericEndpointContext,
    purpose: Purpose,
    { code, phoneNumber }: CheckInput,
  ): Promise<VerifiedNumber> {
    const binding = bound(ctx, purpose)
    const [requestId] = binding?.ids ?? []
    if (binding === undefined || requestId === undefined) throw new RequestNotFoundError()
    if (phoneNumber !== undefined && !binding.isOf(normalize(phoneNumber, this.#options))) {
      return refuse("number_changed")
    }
    const client = clientOf(ctx, this.#options)
    const verified = await this.#engine.verifications.verify({ requestId, code, purpose, client })
    unbind(ctx, purpose)
    return verified
  }
}
