/** The health of the engine for `@nestjs/terminus`. */
import { Inject } from "@nestjs/common"
import { HealthIndicatorService, type HealthIndicatorResult } from "@nestjs/terminus"
import { CountersignError } from "countersign"
import { CountersignService } from "./internal/service.ts"

/** No organization has this id, so looking for it only shows whether the database answers. */
const unknownId = "countersign-health"

/** Down when the application is stopping, or the database of the engine does not answer. */
export class CountersignHealthIndicator {
  readonly #countersign: CountersignService
  readonly #indicators: HealthIndicatorService

  constructor(countersign: CountersignService, indicators: HealthIndicatorService) {
    this.#countersign = countersign
    this.#indicators = indicators
  }

  async isHealthy<const Key extends string>(key: Key): Promise<HealthIndicatorResult<Key>> {
    const indicator = this.#indicators.check(key)
    if (!this.#countersign.isReady()) return indicator.down("shutting down")
    try {
      await this.#countersign.organizations.get({ id: unknownId })
    } catch (error) {
      if (!(error instanceof CountersignError)) throw error
      if (error.code !== "organization_not_found") return indicator.down(error.code)
    }
    return indicator.up()
  }
}

Inject(CountersignService)(CountersignHealthIndicator, undefined, 0)
Inject(HealthIndicatorService)(CountersignHealthIndicator, undefined, 1)
