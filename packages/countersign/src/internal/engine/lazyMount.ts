import type { Mount } from "../types/countersign.ts"

/** A mount that its first request makes. `report` receives the error if it cannot be made. */
export const lazyMount = (
  make: () => Promise<Omit<Mount, "dispose">>,
  dispose: () => Promise<void>,
  report: (error: unknown) => void,
): Mount => {
  let making: Promise<Omit<Mount, "dispose">> | undefined
  const made = () => {
    if (making === undefined) {
      making = make()
      making.catch(report)
    }
    return making
  }
  return {
    fetch: async (request) => (await made()).fetch(request),
    handle: async (request, context) => (await made()).handle(request, context),
    listener: (request, response, context) => {
      made().then(
        ({ listener }) => listener(request, response, context),
        () => response.writeHead(503).end(),
      )
    },
    dispose,
  }
}
