import type { INestApplication } from "@nestjs/common"
import { countersignExpress } from "@countersign/express"
import { countersignFastify } from "@countersign/fastify"
import type { Mount } from "countersign"

/**
 * Mounts the engine, `callbacks`, `admin()`, a login or an inbox below a path, on either adapter. Call it before
 * `listen` or `init`. Guards, pipes, interceptors and the global prefix of Nest do not apply to it.
 */
export const mountCountersign = (app: INestApplication, path: string, mount: Mount): void => {
  const adapter = app.getHttpAdapter()
  if (adapter.getType() !== "fastify") return void app.use(path, countersignExpress(mount))
  // The module ends the engine, before Nest closes the server.
  const plugin = countersignFastify({ ...mount, dispose: async () => {} })
  adapter.getInstance().register(plugin, { prefix: path })
}
