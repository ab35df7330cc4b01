/**
 * The engine, configured by the environment.
 */
import { type Countersign, createCountersign } from "countersign"
import { sslWireless } from "countersign/gateways"

/** An empty variable counts as one that is not set. */
const env = (name: string): string | undefined => process.env[name] || undefined

export const startEngine = (): Promise<Countersign> => {
  const apiToken = env("SSL_WIRELESS_API_TOKEN")
  const folder = env("DATA_DIR")
  return createCountersign({
    database: env("DATABASE_URL") ?? (folder === undefined ? undefined : { folder }),
    // In development the engine keeps one beside the embedded database.
    secret: env("COUNTERSIGN_SECRET"),
    // Your vendors. Without one codes are printed; production does not start like that.
    gateways:
      apiToken === undefined
        ? undefined
        : [
            sslWireless({
              apiToken,
              sid: env("SSL_WIRELESS_SID"),
              baseUrl: env("SSL_WIRELESS_BASE_URL"),
            }),
          ],
  })
}
