import type { Mount } from "../types/countersign.ts"

/** A mount whose requests wait until it is made. `report` receives the error if it cannot be made. */
export const lazyMount = (
  made: Promise<Omit<Mount, "dispose">>,
  dispose: () => Promise<void>,
  report: (error: unknown) => void,
): Mount => {
  // Without a request nothing else would show the error.
  made.catch(report)
  return {
    fetch: async (request) => (await made).fetch(request),
    handle: async (request, context) => (await made).handle(request, context),
    listener: (request, response, context) => {
      made.then(
        ({ listener }) => listener(request, response, context),
        () => response.writeHead(503).end(),
      )
    },
    dispose,
  }
}
