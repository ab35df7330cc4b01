/** Erases a phone number, in a process that a test kills meanwhile. */
import { createCountersign, developmentGateway } from "countersign"

const [database = "", phoneNumber = "", secret = ""] = process.argv.slice(2)
const gateway = developmentGateway()
const engine = await createCountersign({ database, secret, gateways: { sms: gateway } })
await engine.privacy.erase({ phoneNumber })
await engine.dispose()
