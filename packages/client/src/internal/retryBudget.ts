/**
 * The retries that all calls of a client share: ten, and one more for every five calls. Without it, clients would
 * multiply the load of a service that is failing.
 */
export class RetryBudget {
  #tokens = maxTokens

  /** A call begins. */
  earn(): void {
    this.#tokens = Math.min(maxTokens, this.#tokens + tokensPerCall)
  }

  /** Whether there is a retry left, which is then used up. */
  spend(): boolean {
    if (this.#tokens < 1) return false
    this.#tokens -= 1
    return true
  }
}

const maxTokens = 10
const tokensPerCall = 0.2
