import { onTestFinished } from "vitest"
import { temporaryDatabases } from "../../../../test/support/temporaryDatabases.ts"
import * as Countersign from "../../src/index.ts"

export const secret = "a secret for tests, and only for tests"

/**
 * Hosts for the tests of one file, each on its own database, and disposed of when its test ends. Drops the databases
 * after the last test.
 */
export const hosts = () => {
  const database = temporaryDatabases()

  const host = async (options: Partial<Countersign.CountersignOptions> = {}) => {
    const gateway = Countersign.developmentGateway()
    const lines: Array<string> = []
    const settings: Countersign.CountersignOptions = {
      database: options.database ?? (await database()),
      secret,
      gateways: { sms: gateway, whatsapp: gateway },
      log: ({ level, message }) => lines.push(`${level}: ${message}`),
      ...options,
    }
    const engine = await Countersign.createCountersign(settings)
    onTestFinished(() => engine.dispose())
    return { gateway, lines, settings, engine }
  }
  return { database, host }
}
