import * as Redacted from "effect/Redacted"
import { afterAll, inject } from "vitest"
import { freshDatabase } from "../../../../test/support/freshDatabase.ts"
import { temporaryScope } from "../../../../test/support/temporaryScope.ts"
import * as Countersign from "../../src/index.ts"

export const pepper = "a secret for tests, and only for tests"

/** A host on a database of its own. */
export const host = async (options: Partial<Countersign.CountersignOptions> = {}) => {
  const gateway = Countersign.developmentGateway()
  const lines: Array<string> = []
  const settings: Countersign.CountersignOptions = {
    database: options.database ?? (await database()),
    pepper,
    gateways: { sms: gateway, whatsapp: gateway },
    log: (level, text) => lines.push(`${level}: ${text}`),
    ...options,
  }
  return { gateway, lines, settings, engine: await Countersign.createCountersign(settings) }
}

const { close, run } = temporaryScope()

export const database = async (): Promise<string> =>
  Redacted.value(await run(freshDatabase(inject("postgresUrl"))))

afterAll(close)
