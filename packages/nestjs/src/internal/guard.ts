import {
  applyDecorators,
  type CanActivate,
  createParamDecorator,
  type ExecutionContext,
  Inject,
  SetMetadata,
  UnauthorizedException,
  UseGuards,
} from "@nestjs/common"
import { Reflector } from "@nestjs/core"
import { ProofError, type ProofVerifier } from "countersign/proofs"
import { CountersignService } from "./service.ts"

/** The verifier of proofs; `null` if none are accepted. */
export const PROOF_VERIFIER = Symbol("Countersign proof verifier")

/** The headers that have the proof, or the id of a verified request. */
const headers = { proof: "countersign-proof", requestId: "countersign-request" }

const purposeKey = "countersign purpose"

/** The number that a guarded request comes with. */
export interface VerifiedRequest {
  /** E.164 with its plus. Act for this number. */
  readonly phoneNumber: string
  readonly purpose: string
  /** Unique for each verification. A proof can come twice: store the id with what it allows. */
  readonly requestId: string
}

interface GuardedRequest {
  readonly headers: Readonly<Record<string, unknown>>
  countersign?: VerifiedRequest
}

const refused = (message: string) =>
  new UnauthorizedException({ code: "verification_required", message })

class VerifiedPhoneGuard implements CanActivate {
  readonly #countersign: CountersignService
  readonly #reflector: Reflector
  readonly #proofs: ProofVerifier | null

  constructor(countersign: CountersignService, reflector: Reflector, proofs: ProofVerifier | null) {
    this.#countersign = countersign
    this.#reflector = reflector
    this.#proofs = proofs
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request: GuardedRequest = context.switchToHttp().getRequest()
    const targets = [context.getHandler(), context.getClass()]
    const purpose = this.#reflector.getAllAndOverride<string>(purposeKey, targets)
    const { [headers.proof]: proof, [headers.requestId]: requestId } = request.headers
    if (typeof proof === "string") {
      request.countersign = await this.#proven(proof, purpose)
    } else if (typeof requestId === "string") {
      const { phoneNumber } = await this.#countersign.verifications.consume({ requestId, purpose })
      request.countersign = { phoneNumber, purpose, requestId }
    } else {
      throw refused(`Send ${headers.requestId}, or ${headers.proof}`)
    }
    return true
  }

  async #proven(token: string, purpose: string): Promise<VerifiedRequest> {
    if (this.#proofs === null) throw refused("No proofs are accepted")
    try {
      const { phoneNumber, requestId } = await this.#proofs.verify(token, { purpose })
      return { phoneNumber, purpose, requestId }
    } catch (error) {
      throw error instanceof ProofError && error.code !== "keys_unavailable"
        ? refused(error.message)
        : error
    }
  }
}

Inject(CountersignService)(VerifiedPhoneGuard, undefined, 0)
Inject(Reflector)(VerifiedPhoneGuard, undefined, 1)
Inject(PROOF_VERIFIER)(VerifiedPhoneGuard, undefined, 2)

/**
 * Lets only requests with a verified phone number in. The header `Countersign-Request` has the id of a verified request
 * of this purpose, which the guard uses up, or `Countersign-Proof` has a proof. Others get 401, and a request id that
 * cannot be used up gets the error of `consume`. `@Verified()` is the number.
 */
export const VerifiedPhone = (purpose: string): ClassDecorator & MethodDecorator =>
  applyDecorators(SetMetadata(purposeKey, purpose), UseGuards(VerifiedPhoneGuard))

/** The `VerifiedRequest` that `@VerifiedPhone` has let in, as a parameter of a handler. */
export const Verified: () => ParameterDecorator = createParamDecorator(
  (_data: unknown, context: ExecutionContext): VerifiedRequest => {
    const { countersign }: GuardedRequest = context.switchToHttp().getRequest()
    if (countersign === undefined) throw new TypeError("@Verified() needs @VerifiedPhone(purpose)")
    return countersign
  },
)
